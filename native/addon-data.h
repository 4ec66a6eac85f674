#pragma once

#include <napi.h>

// What one loaded copy of the addon holds per JavaScript environment.
struct AddonData {
    Napi::FunctionReference model;
    Napi::FunctionReference sampler;
    Napi::FunctionReference chat_format;

    static AddonData & of(Napi::Env env) { return *env.GetInstanceData<AddonData>(); }
};
