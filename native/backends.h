#pragma once

#include <napi.h>

// Loads the library of one backend, by its absolute path, and returns what it logged as errors. Throws the loader's words where
// it cannot be loaded.
Napi::Value loadBackend(const Napi::CallbackInfo & info);

// Loads the best library for this CPU of a folder that holds no others.
Napi::Value loadBackends(const Napi::CallbackInfo & info);

// Makes llama.cpp ready, after the backends.
Napi::Value start(const Napi::CallbackInfo & info);
