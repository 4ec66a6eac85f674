#include "model-loader.h"

#include "addon-data.h"
#include "args.h"
#include "devices.h"
#include "draft-head-file.h"
#include "error-log.h"
#include "promise-worker.h"
#include "skip-vocabulary.h"

#include <atomic>
#include <climits>
#include <string>
#include <vector>

namespace {

std::atomic<float> progress = 0;

// Returns false, which ends the load, if the process ends.
bool onProgress(float fraction, void *) {
    progress = fraction;
    return !AddonData::exiting;
}

struct LoadOptions {
    std::string path;
    int32_t gpu_layers;
    std::vector<ggml_backend_dev_t> devices;
    std::vector<float> device_shares;
    std::vector<std::string> cpu_tensors;
    llama_load_mode load_mode;
    bool no_alloc;
    bool vocabulary_only;
    bool draft_head;
};

LoadOptions readOptions(const Napi::Object & object) {
    LoadOptions options;
    options.path = field(object, "path", stringArg);
    options.gpu_layers = field(object, "gpuLayers", intArg, -1, INT_MAX);
    options.load_mode = choiceField<llama_load_mode>(object, "loadMode",
                                                     {{"mmap", LLAMA_LOAD_MODE_MMAP},
                                                      {"buffered", LLAMA_LOAD_MODE_NONE},
                                                      {"direct", LLAMA_LOAD_MODE_DIRECT_IO}});
    options.no_alloc = field(object, "noAlloc", boolArg);
    options.vocabulary_only = field(object, "vocabularyOnly", boolArg);
    options.draft_head = field(object, "draftHead", boolArg);
    // llama.cpp aborts on simulated allocations of a mapped file.
    if (options.no_alloc) options.load_mode = LLAMA_LOAD_MODE_NONE;
    options.cpu_tensors = field(object, "cpuTensors", stringsArg);

    const auto gpus = gpuDevices();
    const auto indices = field(object, "devices", arrayArg);
    const auto shares = field(object, "deviceShares", arrayArg);
    for (uint32_t i = 0; i < indices.Length(); i++) {
        options.devices.push_back(gpus.at(intArg(indices.Get(i), "devices", 0, static_cast<int32_t>(gpus.size()) - 1)));
    }
    // llama.cpp reads one share for each possible device.
    options.device_shares.resize(llama_max_devices(), 0);
    if (shares.Length() > options.device_shares.size()) throwRange(object.Env(), "deviceShares has too many elements");
    for (uint32_t i = 0; i < shares.Length(); i++) {
        options.device_shares[i] = static_cast<float>(numberArg(shares.Get(i), "deviceShares"));
    }
    return options;
}

// Model with the lists of its options, which llama.cpp reads later too.
struct KeptModel {
    explicit KeptModel(LoadOptions given) : options(std::move(given)) {
        for (const auto & pattern : options.cpu_tensors) {
            overrides.push_back({pattern.c_str(), ggml_backend_cpu_buffer_type()});
        }
        overrides.push_back({nullptr, nullptr});
        has_shares = options.devices.size() > 1;
        options.devices.push_back(nullptr);
    }
    ~KeptModel() {
        if (model != nullptr && !AddonData::exiting) llama_model_free(model);
    }
    KeptModel(const KeptModel &) = delete;

    LoadOptions options;
    std::vector<llama_model_tensor_buft_override> overrides;
    bool has_shares = false;
    llama_model * model = nullptr;
};

LoadedFile load(const LoadOptions & options) {
    const auto kept = std::make_shared<KeptModel>(options);
    auto params = llama_model_default_params();
    params.devices = kept->options.devices.data();
    params.n_gpu_layers = options.gpu_layers;
    params.split_mode = LLAMA_SPLIT_MODE_LAYER;
    if (kept->has_shares) params.tensor_split = kept->options.device_shares.data();
    if (!options.cpu_tensors.empty()) params.tensor_buft_overrides = kept->overrides.data();
    params.load_mode = options.load_mode;
    params.lazy_mode = LLAMA_LAZY_MODE_OFF;
    params.no_alloc = options.no_alloc;
    params.vocab_only = options.vocabulary_only;
    const auto skipped = options.no_alloc ? skipVocabulary(options.path) : std::vector<llama_model_kv_override>();
    if (!skipped.empty()) params.kv_overrides = skipped.data();
    params.load_mtp = options.draft_head && holdsDraftHead(options.path);
    params.progress_callback = onProgress;

    progress = 0;
    const ErrorLog log;
    kept->model = llama_model_load_from_file(options.path.c_str(), params);
    if (kept->model == nullptr) throw log.error("the model cannot be loaded");
    return {SharedModel(kept, kept->model), params.load_mtp};
}

} // namespace

Napi::Value loadModel(const Napi::CallbackInfo & info) {
    const auto object = objectArg(info[0], "options");
    const auto toModel = [](Napi::Env env, LoadedFile & file) -> Napi::Value {
        return AddonData::of(env).model.New({Napi::External<LoadedFile>::New(env, &file)});
    };
    return PromiseWorker<LoadedFile>::run(
        object, [options = readOptions(object)] { return load(options); }, toModel);
}

Napi::Value loadProgress(const Napi::CallbackInfo & info) {
    return Napi::Number::New(info.Env(), progress);
}
