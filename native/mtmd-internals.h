#pragma once

#include "mtmd.h"

#include <optional>
#include <string>
#include <vector>

// Functions missing in libmtmd's public header.
namespace mtmd_internals {

struct DeviceBytes {
    ggml_backend_dev_t device;
    size_t weights;
    size_t compute;
};

// Returns the name of the vision part's kind, such as "qwen2vl_merger".
std::string projectorType(const mtmd_context * context);

// Returns whether it encodes sounds of 16 kHz, the rate of all recordings here.
bool hears(const mtmd_context * context);

// Sets the CPU threads of the following encodes.
void setThreads(mtmd_context * context, int threads);

// Loads a projector's header alone, which is enough for `reserve` and `memory`. Throws.
mtmd_context * loadHeader(const char * path, const mtmd_context_params & params);

// Seconds of the sound whose parts `reserve` makes memory for.
constexpr int SOUND_SECONDS = 30;

// Allocates the memory of the largest encode of a picture and of a sound, without computing. Returns the bytes of the
// input for that sound, 0 if it hears nothing. Returns nothing if there is not enough memory. Throws for a projector
// that would abort over each sound.
std::optional<size_t> reserve(mtmd_context * context);

// Returns the memory of a part's input until it is encoded. Its data may be a placeholder.
size_t inputBytes(const mtmd_input_chunk * part);

// Returns the allocated memory. A projector with only its header loaded counts its weights as if loaded.
std::vector<DeviceBytes> memory(const mtmd_context * context);

} // namespace mtmd_internals
