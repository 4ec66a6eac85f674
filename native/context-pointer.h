#pragma once

#include "llama.h"

#include <memory>

struct LlamaContextDeleter {
    void operator()(llama_context * context) const { llama_free(context); }
};
using LlamaContextPtr = std::unique_ptr<llama_context, LlamaContextDeleter>;
