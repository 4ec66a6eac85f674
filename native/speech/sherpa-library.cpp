#include "sherpa-library.h"

#include <dlfcn.h>
#include <stdexcept>

constexpr int32_t RATE_HZ = 16000;

SherpaLibrary::SherpaLibrary(const std::string & path) {
    void * library = dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD);
    if (library == nullptr) throw std::runtime_error(path + " is not loaded");
    find(library, "SherpaOnnxAcceptWaveformOffline", accept_);
    find(library, "SherpaOnnxDecodeMultipleOfflineStreams", decode_);
    find(library, "SherpaOnnxGetOfflineStreamResultAsJson", result_);
    find(library, "SherpaOnnxDestroyOfflineStreamResultJson", free_result_);
}

template <typename Function> void SherpaLibrary::find(void * library, const char * name, Function & function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    if (function == nullptr) throw std::runtime_error(std::string("sherpa-onnx has no function ") + name);
}

std::vector<std::string> SherpaLibrary::recognize(void * recognizer, const std::vector<Recording> & recordings) const {
    std::vector<const void *> streams;
    for (const auto & recording : recordings) {
        accept_(recording.stream, RATE_HZ, recording.samples, recording.length);
        streams.push_back(recording.stream);
    }
    decode_(recognizer, streams.data(), static_cast<int32_t>(streams.size()));
    std::vector<std::string> results;
    for (const auto * stream : streams) {
        const char * json = result_(stream);
        if (json == nullptr) throw std::runtime_error("sherpa-onnx wrote no result");
        results.emplace_back(json);
        free_result_(json);
    }
    return results;
}
