#pragma once

#include "gguf.h"

#include <cstdint>
#include <memory>
#include <string>

// The header of a GGUF file, without its tensors' data.
using GgufHeader = std::unique_ptr<gguf_context, decltype(&gguf_free)>;

// Null if the file cannot be read.
GgufHeader readHeader(const std::string & path);

// 0 where there is no such number.
uint32_t headerNumber(const gguf_context * header, const std::string & key);

// Empty if there is no such text.
std::string headerText(const gguf_context * header, const char * key);

// Elements of a list, 0 where there is none.
uint64_t headerListSize(const gguf_context * header, const char * key);
