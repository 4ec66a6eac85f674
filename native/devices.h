#pragma once

#include <napi.h>

#include "ggml-backend.h"
#include "llama.h"
#include "mtmd-internals.h"

#include <vector>

// The GPUs that the loaded backend knows, in its order. Their indices are their names in JavaScript.
std::vector<ggml_backend_dev_t> gpuDevices();

Napi::Value describeDevices(const Napi::CallbackInfo & info);

// What a context and its model hold, by device: an array of objects. The device of ordinary memory is -1. `head`: the context of its
// draft head, or nullptr.
Napi::Array memoryBreakdown(Napi::Env env, const llama_context * context, const llama_context * head);

// The same of a projector.
Napi::Array memoryBreakdown(Napi::Env env, const std::vector<mtmd_internals::DeviceBytes> & held);
