#include "error-log.h"

#include "llama.h"
#include "mtmd-helper.h"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdio>
#include <iterator>

namespace {

thread_local std::string * collected = nullptr;
thread_local bool is_error_continued = false;

// Texts of the libraries when memory is refused: by posix_memalign, new, mmap and the backends' own allocators.
const char * const MEMORY_WORDS[] = {"failed to allocate", "unable to allocate", "bad_alloc",        "Cannot allocate memory",
                                     "out of memory",      "OutOfDeviceMemory",  "OutOfHostMemory", "OUT_OF_DEVICE_MEMORY"};
// Texts that add nothing to the lines before them.
const char * const EMPTY_WORDS[] = {"failed to load model\n", "error: Failed to load CLIP model from ",
                                    "Failed to load CLIP model from "};

// Removes the leading name of the function, which means nothing to an operator.
std::string withoutPrefix(const std::string & line) {
    const size_t colon = line.find(": ");
    if (colon == std::string::npos || colon == 0) return line;
    const bool is_name = std::all_of(line.begin(), line.begin() + colon, [](unsigned char letter) {
        return std::isalnum(letter) || letter == '_' || letter == ':' || letter == '~';
    });
    return is_name && line.find('_') < colon ? line.substr(colon + 2) : line;
}

// Removes the path of the file, which the operator knows, or which is temporary.
std::string withoutFile(const std::string & line) {
    const size_t end = line.find("': ");
    return line.rfind("failed to load model '", 0) == 0 && end != std::string::npos ? line.substr(end + 3) : line;
}

void addTo(std::string & words, const std::string & text) {
    const std::string line = withoutPrefix(withoutFile(withoutPrefix(text)));
    const bool is_empty = std::any_of(std::begin(EMPTY_WORDS), std::end(EMPTY_WORDS),
                                      [&](const std::string & empty) { return line.rfind(empty, 0) == 0; });
    if (!is_empty) words += (words.empty() ? "" : "; ") + line.substr(0, line.find('\n'));
}

// Returns false if nobody collects the text.
bool collect(ggml_log_level level, const char * text) {
    if (level != GGML_LOG_LEVEL_ERROR || collected == nullptr) return false;
    addTo(*collected, text);
    return true;
}

// Collects errors, or writes them at once, because a library that ends the process gives the reason just before. Skips
// warnings, which come with every full cache, and debug lines, which come with every step.
void hear(ggml_log_level level, const char * text, void *) {
    const bool is_error = level == GGML_LOG_LEVEL_ERROR || (level == GGML_LOG_LEVEL_CONT && is_error_continued);
    is_error_continued = is_error;
    if (is_error && !collect(GGML_LOG_LEVEL_ERROR, text)) std::fputs(text, stderr);
}

// Returns true for lines of the encoder's first run, except for its first warning in this process. The run warns of
// each operator that its device lacks, and the first of some twenty lines tells an operator enough.
bool isRepeatedWarning(const std::string & text) {
    static std::atomic<bool> is_told{false};
    if (text.rfind("warmup: ", 0) != 0) return false;
    return text.find("WARNING: ") == std::string::npos || is_told.exchange(true);
}

void hearVision(ggml_log_level level, const char * text, void *) {
    if (collect(level, text)) return;
    const bool is_warning = level == GGML_LOG_LEVEL_WARN && !isRepeatedWarning(text);
    if (is_warning || level == GGML_LOG_LEVEL_ERROR) std::fputs(text, stderr);
}

} // namespace

void ErrorLog::install() {
    mtmd_helper_log_set(hearVision, nullptr);
    llama_log_set(hear, nullptr);
}

ErrorLog::ErrorLog() : outer_(collected) {
    collected = &words_;
}

ErrorLog::~ErrorLog() {
    collected = outer_;
}

void ErrorLog::add(const std::string & line) {
    addTo(words_, line);
}

CodedError ErrorLog::error(const std::string & what, const char * code) const {
    const bool is_memory = std::any_of(std::begin(MEMORY_WORDS), std::end(MEMORY_WORDS), [this](const char * word) {
        return says(word);
    });
    return CodedError(is_memory ? "OUT_OF_MEMORY" : code, words_.empty() ? what : what + ": " + words_);
}
