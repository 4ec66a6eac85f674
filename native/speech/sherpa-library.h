#pragma once

#include <cstdint>
#include <string>
#include <vector>

// Samples at 16 kHz, and the stream that takes them.
struct Recording {
    void * stream;
    const float * samples;
    int32_t length;
};

// Recognition functions of sherpa-onnx's C library.
class SherpaLibrary {
  public:
    // Throws std::runtime_error if the library at that path is not loaded, or lacks a function.
    explicit SherpaLibrary(const std::string & path);

    // Returns the result of each recording as JSON. Rethrows the library's exceptions.
    std::vector<std::string> recognize(void * recognizer, const std::vector<Recording> & recordings) const;

  private:
    template <typename Function> void find(void * library, const char * name, Function & function);

    void (*accept_)(const void * stream, int32_t rate_hz, const float * samples, int32_t length) = nullptr;
    void (*decode_)(const void * recognizer, const void ** streams, int32_t count) = nullptr;
    const char * (*result_)(const void * stream) = nullptr;
    void (*free_result_)(const char * json) = nullptr;
};
