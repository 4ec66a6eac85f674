#pragma once

#include <napi.h>

#include "llama.h"

#include <memory>

// Model, freed with its last user: a Model, a context, a sampler, or a thread that works with it.
using SharedModel = std::shared_ptr<llama_model>;

struct LoadedFile {
    SharedModel model;
    bool has_draft_head; // it was wanted, and is there
};

// Implements loadModel(options), a promise of a Model. Loads on a separate thread.
Napi::Value loadModel(const Napi::CallbackInfo & info);

// Returns the share that has been read of the current or last load: 0 to 1.
Napi::Value loadProgress(const Napi::CallbackInfo & info);
