#include <napi.h>

#include "addon-data.h"
#include "backends.h"
#include "chat-format.h"
#include "context.h"
#include "devices.h"
#include "error-log.h"
#include "log.h"
#include "model-loader.h"
#include "model.h"
#include "projector-loader.h"
#include "projector.h"
#include "rendering.h"
#include "sampler.h"

static Napi::Object init(Napi::Env env, Napi::Object exports) {
    // The chat layer's warnings quote prompts and answers. Its errors also arrive as exceptions.
    common_log_set_verbosity_thold(LOG_LEVEL_OUTPUT);
    ErrorLog::install();
    auto * data = new AddonData();
    env.SetInstanceData(data);
    env.AddCleanupHook([] { AddonData::exiting = true; });

    auto compiled_against = Napi::Object::New(env);
    compiled_against.Set("nodeLlamaCpp", NODE_LLAMA_CPP_VERSION);
    compiled_against.Set("llamaCpp", LLAMA_CPP_RELEASE);
    exports.Set("compiledAgainst", compiled_against);

    const auto model = Model::define(env);
    const auto rendering = Rendering::define(env);
    const auto sampler = Sampler::define(env);
    data->model = Napi::Persistent(model);
    data->rendering = Napi::Persistent(rendering);
    data->sampler = Napi::Persistent(sampler);
    data->projector = Napi::Persistent(Projector::define(env));
    data->chat_format = Napi::Persistent(ChatFormat::define(env));
    exports.Set("loadBackend", Napi::Function::New<loadBackend>(env, "loadBackend"));
    exports.Set("loadBackends", Napi::Function::New<loadBackends>(env, "loadBackends"));
    exports.Set("start", Napi::Function::New<start>(env, "start"));
    exports.Set("loadModel", Napi::Function::New<loadModel>(env, "loadModel"));
    exports.Set("loadProgress", Napi::Function::New<loadProgress>(env, "loadProgress"));
    exports.Set("loadProjector", Napi::Function::New<loadProjector>(env, "loadProjector"));
    exports.Set("projectorMemory", Napi::Function::New<projectorMemory>(env, "projectorMemory"));
    exports.Set("devices", Napi::Function::New<describeDevices>(env, "devices"));
    exports.Set("Rendering", rendering);
    exports.Set("Sampler", sampler);
    exports.Set("Context", Context::define(env));
    return exports;
}

NODE_API_MODULE(inferd_llama, init)
