#pragma once

#include <napi.h>

#include "llama.h"

#include <memory>

// Freed with its last user: a Model, its contexts and samplers, or a thread that works with it.
using SharedModel = std::shared_ptr<llama_model>;

struct LoadedFile {
    SharedModel model;
    bool has_draft_head; // it was wanted, and is there
};

// loadModel(options): a promise of a Model. Loads on a thread of its own.
Napi::Value loadModel(const Napi::CallbackInfo & info);

// How much of the model that is being loaded, or was loaded last, has been read: 0 to 1.
Napi::Value loadProgress(const Napi::CallbackInfo & info);
