#include "error-log.h"

#include "llama.h"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace {

ggml_log_callback outer_callback = nullptr;
void * outer_data = nullptr;
thread_local std::string * collected = nullptr;

// What the libraries say when memory is refused: posix_memalign, new, mmap and the backends' own allocators.
const char * const MEMORY_WORDS[] = {"failed to allocate", "unable to allocate", "bad_alloc",        "Cannot allocate memory",
                                     "out of memory",      "OutOfDeviceMemory",  "OutOfHostMemory", "OUT_OF_DEVICE_MEMORY"};
// Says nothing that the lines before it do not say.
const char * const EMPTY_WORDS = "failed to load model\n";

// Without the name of the function in front, which means nothing to an operator.
std::string withoutPrefix(const std::string & line) {
    const size_t colon = line.find(": ");
    if (colon == std::string::npos || colon == 0) return line;
    const bool is_name = std::all_of(line.begin(), line.begin() + colon, [](unsigned char letter) {
        return std::isalnum(letter) || letter == '_' || letter == ':' || letter == '~';
    });
    return is_name && line.find('_') < colon ? line.substr(colon + 2) : line;
}

void hear(ggml_log_level level, const char * text, void *) {
    if (level != GGML_LOG_LEVEL_ERROR || collected == nullptr) {
        if (outer_callback != nullptr) outer_callback(level, text, outer_data);
        return;
    }
    const std::string line = withoutPrefix(text);
    if (line != EMPTY_WORDS) *collected += (collected->empty() ? "" : "; ") + line.substr(0, line.find('\n'));
}

} // namespace

void ErrorLog::install() {
    ggml_log_callback callback = nullptr;
    void * data = nullptr;
    llama_log_get(&callback, &data);
    if (callback == hear) return;
    outer_callback = callback;
    outer_data = data;
    llama_log_set(hear, nullptr);
}

ErrorLog::ErrorLog() {
    collected = &words_;
}

ErrorLog::~ErrorLog() {
    collected = nullptr;
}

CodedError ErrorLog::error(const std::string & what) const {
    const bool is_memory = std::any_of(std::begin(MEMORY_WORDS), std::end(MEMORY_WORDS), [this](const char * word) {
        return words_.find(word) != std::string::npos;
    });
    return CodedError(is_memory ? "OUT_OF_MEMORY" : "LOAD_FAILED", words_.empty() ? what : what + ": " + words_);
}
