#include "projector-loader.h"

#include "addon-data.h"
#include "args.h"
#include "devices.h"
#include "error-log.h"
#include "model.h"
#include "mtmd-internals.h"
#include "promise-worker.h"
#include "prompt-pieces.h"

#include "gguf.h"

#include <algorithm>
#include <climits>
#include <filesystem>
#include <sys/random.h>

namespace {

// Kinds whose embeddings of a picture depend on its place in the prompt, so that another prompt cannot use cached ones.
const char * const KINDS_THAT_NEED_THE_PROMPT[] = {"deepseek4v", "hunyuanvl"};

struct Options {
    std::string path;
    ggml_backend_dev_t device = nullptr;
    mtmd_context_params params = mtmd_context_params_default();
};

Options readOptions(const Napi::Object & object) {
    Options options;
    options.path = field(object, "path", stringArg);
    const auto device = object.Get("device");
    if (!device.IsUndefined()) {
        const auto gpus = gpuDevices();
        options.device = gpus.at(intArg(device, "device", 0, static_cast<int32_t>(gpus.size()) - 1));
    }
    const int32_t image_tokens = field(object, "imageTokens", intArg, 0, INT_MAX / 2);
    options.params.use_gpu = options.device != nullptr;
    options.params.device = options.device;
    options.params.n_threads = field(object, "threads", intArg, 1, 512);
    options.params.image_max_tokens = image_tokens == 0 ? -1 : image_tokens;
    options.params.flash_attn_type = choiceField<llama_flash_attn_type>(object, "flashAttention",
                                                                        {{"auto", LLAMA_FLASH_ATTN_TYPE_AUTO},
                                                                         {"on", LLAMA_FLASH_ATTN_TYPE_ENABLED},
                                                                         {"off", LLAMA_FLASH_ATTN_TYPE_DISABLED}});
    options.params.print_timings = false;
    options.params.warmup = false;
    return options;
}

// Returns a marker that no author of a prompt can know.
std::string randomMarker() {
    uint8_t bytes[16];
    if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes)) throw std::runtime_error("the system has no random numbers");
    std::string marker = "picture";
    for (const uint8_t byte : bytes) {
        marker += "0123456789abcdef"[byte >> 4];
        marker += "0123456789abcdef"[byte & 15];
    }
    return marker;
}

// Throws for a truncated file or a full device: libmtmd reads missing data as whatever is in memory, and aborts without
// room.
void checkFile(const Options & options) {
    const ErrorLog log;
    const std::unique_ptr<gguf_context, void (*)(gguf_context *)> header(
        gguf_init_from_file(options.path.c_str(), {/* no_alloc */ true, /* ctx */ nullptr}), gguf_free);
    if (!header) throw log.error("the projector cannot be loaded");
    if (gguf_find_key(header.get(), "clip.has_vision_encoder") < 0 && gguf_find_key(header.get(), "clip.has_audio_encoder") < 0) {
        throw CodedError("LOAD_FAILED", "the projector cannot be loaded: the file is no projector; it is often called mmproj");
    }
    size_t tensor_bytes = 0;
    for (int64_t i = 0; i < gguf_get_n_tensors(header.get()); i++) {
        const size_t end = gguf_get_tensor_offset(header.get(), i) + gguf_get_tensor_size(header.get(), i);
        tensor_bytes = std::max(tensor_bytes, end);
    }
    if (std::filesystem::file_size(options.path) < gguf_get_data_offset(header.get()) + tensor_bytes) {
        throw CodedError("LOAD_FAILED", "the projector cannot be loaded: the file is truncated; fetch it again");
    }
    if (options.device == nullptr) return;
    size_t free_bytes = 0, total_bytes = 0;
    ggml_backend_dev_memory(options.device, &free_bytes, &total_bytes);
    if (free_bytes < tensor_bytes) throw CodedError("OUT_OF_MEMORY", "the device has no room for the projector");
}

void checkKind(const mtmd_context * context) {
    const auto kind = mtmd_internals::projectorType(context);
    const bool needs_prompt = std::any_of(std::begin(KINDS_THAT_NEED_THE_PROMPT), std::end(KINDS_THAT_NEED_THE_PROMPT),
                                          [&](const char * name) { return kind == name; });
    if (needs_prompt) {
        throw CodedError("LOAD_FAILED", "the projector cannot be loaded: projectors of the kind " + kind +
                                            " are not supported, since what they make of a picture depends on its prompt");
    }
}

// Throws unless the marks around pictures are in the model's vocabulary: libmtmd uses -1 for missing ones.
void checkMarks(const mtmd_context * context) {
    if (!mtmd_support_vision(context)) return;
    for (const PixelSize size : {PixelSize{64, 64}, PixelSize{2048, 2048}}) {
        for (const auto & piece : promptPieces(context, mtmd_get_marker(context), {{size}}, 0)) {
            if (std::count(piece.tokens.begin(), piece.tokens.end(), LLAMA_TOKEN_NULL) == 0) continue;
            throw CodedError("LOAD_FAILED", "the projector cannot be loaded: it belongs to another model, since the model's "
                                            "vocabulary lacks its marks");
        }
    }
}

// Loads a projector and reserves the memory of the largest encode, so that no encode fails later. Reads only the header
// without a model.
SharedProjector load(const Options & options, const SharedModel & model) {
    checkFile(options);
    const auto loaded = std::make_shared<LoadedProjector>();
    loaded->model = model;
    auto params = options.params;
    const auto marker = randomMarker();
    params.media_marker = marker.c_str();
    ErrorLog log;
    try {
        loaded->context = model == nullptr ? mtmd_internals::loadHeader(options.path.c_str(), params)
                                           : mtmd_init_from_file(options.path.c_str(), model.get(), params);
        if (loaded->context == nullptr) {
            throw log.error(log.says("mismatch between text model") ? "the projector belongs to another model"
                                                                     : "the projector cannot be loaded");
        }
        checkKind(loaded->context);
        if (model != nullptr) checkMarks(loaded->context);
        if (const auto sound_bytes = mtmd_internals::reserve(loaded->context)) {
            loaded->sound_bytes = *sound_bytes;
            return loaded;
        }
    } catch (const CodedError &) {
        throw;
    } catch (const std::exception & error) {
        log.add(error.what());
        throw log.error("the projector cannot be loaded");
    }
    throw CodedError("OUT_OF_MEMORY", log.error("there is no memory to encode pictures or sounds with").what());
}

} // namespace

LoadedProjector::~LoadedProjector() {
    if (context != nullptr && !AddonData::exiting) mtmd_free(context);
}

Napi::Value loadProjector(const Napi::CallbackInfo & info) {
    const auto object = objectArg(info[0], "options");
    const auto work = [options = readOptions(object), model = Model::from(object.Get("model"))->model()] {
        return load(options, model);
    };
    const auto toProjector = [](Napi::Env env, SharedProjector & projector) -> Napi::Value {
        return AddonData::of(env).projector.New({Napi::External<SharedProjector>::New(env, &projector)});
    };
    return PromiseWorker<SharedProjector>::run(object, work, toProjector);
}

Napi::Value projectorMemory(const Napi::CallbackInfo & info) {
    using Held = std::vector<mtmd_internals::DeviceBytes>;
    const auto object = objectArg(info[0], "options");
    const auto work = [options = readOptions(object)] { return mtmd_internals::memory(load(options, nullptr)->context); };
    const auto toArray = [](Napi::Env env, Held & held) -> Napi::Value { return memoryBreakdown(env, held); };
    return PromiseWorker<Held>::run(object, work, toArray);
}
