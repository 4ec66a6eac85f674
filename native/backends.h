#pragma once

#include <napi.h>

// Loads a backend's library by its absolute path, and returns the errors that it logged. Throws the loader's message if
// it cannot be loaded.
Napi::Value loadBackend(const Napi::CallbackInfo & info);

// Loads the library that fits this CPU best, from a folder of only such libraries.
Napi::Value loadBackends(const Napi::CallbackInfo & info);

// Initialises llama.cpp, after the backends.
Napi::Value start(const Napi::CallbackInfo & info);
