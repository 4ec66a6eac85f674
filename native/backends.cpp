#include "backends.h"

#include "error-log.h"
#include "ggml-backend.h"
#include "llama.h"

Napi::Value loadBackend(const Napi::CallbackInfo & info) {
    const auto env = info.Env();
    const std::string file = info[0].As<Napi::String>();
    ErrorLog log;
    if (ggml_backend_load(file.c_str()) == nullptr) {
        const auto error = log.error(file + " cannot be loaded");
        throw Napi::Error::New(env, error.what());
    }
    return Napi::String::New(env, log.words());
}

Napi::Value loadBackends(const Napi::CallbackInfo & info) {
    const std::string folder = info[0].As<Napi::String>();
    // Does nothing at a second call, as by another test in one process.
    if (ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU) == nullptr) ggml_backend_load_all_from_path(folder.c_str());
    return info.Env().Undefined();
}

Napi::Value start(const Napi::CallbackInfo & info) {
    llama_backend_init();
    return info.Env().Undefined();
}
