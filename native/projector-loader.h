#pragma once

#include <napi.h>

#include "model-loader.h"
#include "mtmd.h"

#include <memory>

// What turns pictures into embeddings, with the model that it belongs to.
struct LoadedProjector {
    SharedModel model; // outlives the context, which reads its vocabulary
    mtmd_context * context = nullptr;

    LoadedProjector() = default;
    LoadedProjector(const LoadedProjector &) = delete;
    ~LoadedProjector();
};
using SharedProjector = std::shared_ptr<LoadedProjector>;

// loadProjector(options): a promise of a Projector. Loads on a thread of its own.
Napi::Value loadProjector(const Napi::CallbackInfo & info);

// projectorMemory(options): a promise of what it would hold, by device.
Napi::Value projectorMemory(const Napi::CallbackInfo & info);
