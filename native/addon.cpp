#include <napi.h>

#include "addon-data.h"
#include "chat-format.h"
#include "context.h"
#include "devices.h"
#include "error-log.h"
#include "log.h"
#include "model-loader.h"
#include "model.h"
#include "mtmd-helper.h"
#include "mtmd.h"
#include "rendering.h"
#include "sampler.h"

#include <cstdio>

// llama.cpp's own log belongs to node-llama-cpp, which has a setting for it.
static void silence() {
    // The chat layer's warnings quote prompts and answers. Its errors also arrive as exceptions.
    common_log_set_verbosity_thold(LOG_LEVEL_OUTPUT);
    mtmd_helper_log_set(
        [](ggml_log_level level, const char * text, void *) {
            if (level == GGML_LOG_LEVEL_WARN || level == GGML_LOG_LEVEL_ERROR) std::fputs(text, stderr);
        },
        nullptr);
}

static Napi::Object init(Napi::Env env, Napi::Object exports) {
    silence();
    ErrorLog::install();
    auto * data = new AddonData();
    env.SetInstanceData(data);
    env.AddCleanupHook([] { AddonData::exiting = true; });

    auto compiled_against = Napi::Object::New(env);
    compiled_against.Set("nodeLlamaCpp", NODE_LLAMA_CPP_VERSION);
    compiled_against.Set("llamaCpp", LLAMA_CPP_RELEASE);
    exports.Set("compiledAgainst", compiled_against);
    exports.Set("mediaMarker", mtmd_default_marker());

    const auto model = Model::define(env);
    const auto rendering = Rendering::define(env);
    const auto sampler = Sampler::define(env);
    data->model = Napi::Persistent(model);
    data->rendering = Napi::Persistent(rendering);
    data->sampler = Napi::Persistent(sampler);
    data->chat_format = Napi::Persistent(ChatFormat::define(env));
    exports.Set("loadModel", Napi::Function::New<loadModel>(env, "loadModel"));
    exports.Set("loadProgress", Napi::Function::New<loadProgress>(env, "loadProgress"));
    exports.Set("devices", Napi::Function::New<describeDevices>(env, "devices"));
    exports.Set("Rendering", rendering);
    exports.Set("Sampler", sampler);
    exports.Set("Context", Context::define(env));
    return exports;
}

NODE_API_MODULE(inferd_llama, init)
