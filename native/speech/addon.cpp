#include <napi.h>

#include "../promise-worker.h"
#include "sherpa-library.h"

#include <string>
#include <vector>

// Runs a recogniser on several recordings at once, which sherpa-onnx's library can do and its addon does not offer.
// Takes the handles of that addon, which wraps the library's pointers unchanged.

static const SherpaLibrary & openedLibrary(Napi::Env env) {
    const auto * library = env.GetInstanceData<SherpaLibrary>();
    if (library == nullptr) throw Napi::Error::New(env, "the library is not open");
    return *library;
}

// Implements open(path). sherpa-onnx's addon must have loaded the library already.
static void open(const Napi::CallbackInfo & info) {
    try {
        info.Env().SetInstanceData(new SherpaLibrary(info[0].As<Napi::String>().Utf8Value()));
    } catch (const std::runtime_error & error) {
        throw Napi::Error::New(info.Env(), error.what());
    }
}

static void * pointerOf(const Napi::Value & value) {
    if (!value.IsExternal()) throw Napi::TypeError::New(value.Env(), "expected a handle of sherpa-onnx");
    return value.As<Napi::External<void>>().Data();
}

// Implements recognizeTogether(recognizer, streams, samples), which resolves with the JSON of each stream. `samples`: a
// Float32Array per stream, which must not change meanwhile. If the library fails, rejects with its message, and there
// is no result of any stream.
static Napi::Value recognizeTogether(const Napi::CallbackInfo & info) {
    const auto env = info.Env();
    const auto & library = openedLibrary(env);
    auto * recognizer = pointerOf(info[0]);
    const auto streams = info[1].As<Napi::Array>();
    const auto samples = info[2].As<Napi::Array>();
    std::vector<Recording> recordings;
    for (uint32_t at = 0; at < streams.Length(); at++) {
        const Napi::Value audio = samples[at];
        if (!audio.IsTypedArray()) throw Napi::TypeError::New(env, "expected samples for each stream");
        const auto array = audio.As<Napi::Float32Array>();
        const auto length = static_cast<int32_t>(array.ElementLength());
        recordings.push_back({pointerOf(streams[at]), array.Data(), length});
    }
    // Keeps the handles, since their addon frees those that JavaScript no longer uses.
    auto keep = Napi::Array::New(env, 3);
    for (uint32_t at = 0; at < 3; at++) keep[at] = info[at];
    return PromiseWorker<std::vector<std::string>>::run(
        keep, [&library, recognizer, recordings] { return library.recognize(recognizer, recordings); },
        [](Napi::Env result_env, std::vector<std::string> & texts) -> Napi::Value {
            auto array = Napi::Array::New(result_env, texts.size());
            for (uint32_t at = 0; at < texts.size(); at++) array[at] = Napi::String::New(result_env, texts[at]);
            return array;
        });
}

static Napi::Object init(Napi::Env env, Napi::Object exports) {
    exports.Set("open", Napi::Function::New<open>(env, "open"));
    exports.Set("recognizeTogether", Napi::Function::New<recognizeTogether>(env, "recognizeTogether"));
    return exports;
}

NODE_API_MODULE(inferd_speech, init)
