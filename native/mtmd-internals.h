#pragma once

#include "mtmd.h"

#include <string>
#include <vector>

// What libmtmd's public header has no functions for.
namespace mtmd_internals {

struct DeviceBytes {
    ggml_backend_dev_t device;
    size_t weights;
    size_t compute;
};

// The name of its kind, e.g. "qwen2vl_merger"; of the part that sees.
std::string projectorType(const mtmd_context * context);

// CPU threads of the encodes that follow.
void setThreads(mtmd_context * context, int threads);

// Loads a projector's header alone, which is enough for `reserve` and `memory`. Throws.
mtmd_context * loadHeader(const char * path, const mtmd_context_params & params);

// Allocates the memory of the largest encode that a picture can need, without computing anything. False: there is not enough.
bool reserve(mtmd_context * context);

// What the input of a part of a picture takes until it is encoded.
size_t inputBytes(const mtmd_input_chunk * part);

// What is allocated now. A projector of which only the header was loaded counts its weights as if it were loaded.
std::vector<DeviceBytes> memory(const mtmd_context * context);

} // namespace mtmd_internals
