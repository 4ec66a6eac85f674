#pragma once

#include <napi.h>

#include <atomic>

// Data of the addon per JavaScript environment.
struct AddonData {
    Napi::FunctionReference model;
    Napi::FunctionReference projector;
    Napi::FunctionReference sampler;
    Napi::FunctionReference chat_format;
    Napi::FunctionReference rendering;

    // True once the process ends. Finalizers then run in any order, so nothing is freed that needs another native
    // object.
    static inline std::atomic<bool> exiting = false;

    static AddonData & of(Napi::Env env) { return *env.GetInstanceData<AddonData>(); }
};
