#pragma once

#include <napi.h>

#include "ggml-backend.h"
#include "llama.h"
#include "mtmd-internals.h"

#include <vector>

// Returns the GPUs of the loaded backend, in its order. JavaScript names them by their indices.
std::vector<ggml_backend_dev_t> gpuDevices();

Napi::Value describeDevices(const Napi::CallbackInfo & info);

// Returns the memory of a context and its model by device, as an array of objects. Ordinary memory has device -1.
// `head`: context of the draft head, or nullptr.
Napi::Array memoryBreakdown(Napi::Env env, const llama_context * context, const llama_context * head);

// Returns the memory of a projector in the same form.
Napi::Array memoryBreakdown(Napi::Env env, const std::vector<mtmd_internals::DeviceBytes> & held);
