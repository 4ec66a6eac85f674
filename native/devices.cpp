#include "devices.h"

#include "args.h"
#include "llama-ext.h"

#include <algorithm>
#include <map>

namespace {

constexpr int HOST = -1;

int indexOf(ggml_backend_dev_t device, const std::vector<ggml_backend_dev_t> & gpus) {
    const auto found = std::find(gpus.begin(), gpus.end(), device);
    return found == gpus.end() ? HOST : static_cast<int>(found - gpus.begin());
}

// Host memory may belong to a device too: buffers that it reads directly, and all memory of an integrated device.
int deviceOf(ggml_backend_buffer_type_t buffer_type, const std::vector<ggml_backend_dev_t> & gpus) {
    return ggml_backend_buft_is_host(buffer_type) ? HOST : indexOf(ggml_backend_buft_get_device(buffer_type), gpus);
}

struct HeldBytes {
    size_t model = 0;
    size_t context = 0;
    size_t compute = 0;
    size_t reordered = 0; // of the model's
};

Napi::Array toArray(Napi::Env env, const std::map<int, HeldBytes> & by_device) {
    auto result = Napi::Array::New(env);
    for (const auto & [device, bytes] : by_device) {
        auto item = Napi::Object::New(env);
        item.Set("device", device);
        item.Set("modelBytes", static_cast<double>(bytes.model));
        item.Set("contextBytes", static_cast<double>(bytes.context));
        item.Set("computeBytes", static_cast<double>(bytes.compute));
        item.Set("reorderedBytes", static_cast<double>(bytes.reordered));
        result.Set(result.Length(), item);
    }
    return result;
}

} // namespace

std::vector<ggml_backend_dev_t> gpuDevices() {
    std::vector<ggml_backend_dev_t> gpus;
    for (size_t i = 0; i < ggml_backend_dev_count(); i++) {
        const auto device = ggml_backend_dev_get(i);
        const auto type = ggml_backend_dev_type(device);
        if (type == GGML_BACKEND_DEVICE_TYPE_GPU || type == GGML_BACKEND_DEVICE_TYPE_IGPU) gpus.push_back(device);
    }
    return gpus;
}

Napi::Value describeDevices(const Napi::CallbackInfo & info) {
    const auto env = info.Env();
    return toArray(env, gpuDevices(), [env](ggml_backend_dev_t device) {
        auto result = Napi::Object::New(env);
        result.Set("name", ggml_backend_dev_description(device));
        result.Set("isIntegrated", ggml_backend_dev_type(device) == GGML_BACKEND_DEVICE_TYPE_IGPU);
        size_t free = 0, total = 0;
        ggml_backend_dev_memory(device, &free, &total);
        result.Set("totalBytes", static_cast<double>(total));
        result.Set("freeBytes", static_cast<double>(free));
        return result;
    });
}

static void add(std::map<int, HeldBytes> & by_device, const llama_context * context, bool with_model) {
    const auto gpus = gpuDevices();
    for (const auto & [buffer_type, bytes] : llama_get_memory_breakdown(context)) {
        const int device = deviceOf(buffer_type, gpus);
        auto & sum = by_device[device];
        const size_t model = with_model ? bytes.model : 0;
        sum.model += model;
        sum.context += bytes.context;
        sum.compute += bytes.compute;
        if (device == HOST && !ggml_backend_buft_is_host(buffer_type)) sum.reordered += model;
    }
}

Napi::Array memoryBreakdown(Napi::Env env, const llama_context * context, const llama_context * head) {
    std::map<int, HeldBytes> by_device;
    add(by_device, context, true);
    if (head != nullptr) add(by_device, head, llama_get_model(head) != llama_get_model(context));
    return toArray(env, by_device);
}

Napi::Array memoryBreakdown(Napi::Env env, const std::vector<mtmd_internals::DeviceBytes> & held) {
    const auto gpus = gpuDevices();
    std::map<int, HeldBytes> by_device;
    for (const auto & bytes : held) {
        auto & sum = by_device[indexOf(bytes.device, gpus)];
        sum.model += bytes.weights;
        sum.compute += bytes.compute;
    }
    return toArray(env, by_device);
}
