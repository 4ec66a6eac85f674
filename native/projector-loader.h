#pragma once

#include <napi.h>

#include "model-loader.h"
#include "mtmd.h"

#include <memory>

// Projector, which turns pictures and sounds into embeddings, and its model.
struct LoadedProjector {
    SharedModel model; // outlives the context, which reads its vocabulary
    mtmd_context * context = nullptr;
    size_t sound_bytes = 0; // of the largest part of a sound whose encode has memory

    LoadedProjector() = default;
    LoadedProjector(const LoadedProjector &) = delete;
    ~LoadedProjector();
};
using SharedProjector = std::shared_ptr<LoadedProjector>;

// Implements loadProjector(options), a promise of a Projector. Loads on a separate thread.
Napi::Value loadProjector(const Napi::CallbackInfo & info);

// Implements projectorMemory(options), a promise of its memory by device.
Napi::Value projectorMemory(const Napi::CallbackInfo & info);
