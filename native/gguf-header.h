#pragma once

#include "gguf.h"

#include <cstdint>
#include <memory>
#include <string>

// Header of a GGUF file, without the tensors' data.
using GgufHeader = std::unique_ptr<gguf_context, decltype(&gguf_free)>;

// Returns the header; null if the file cannot be read.
GgufHeader readHeader(const std::string & path);

// Returns a number; 0 if there is none.
uint32_t headerNumber(const gguf_context * header, const std::string & key);

// Returns a text; empty if there is none.
std::string headerText(const gguf_context * header, const char * key);

// Returns the number of a list's elements; 0 if there is none.
uint64_t headerListSize(const gguf_context * header, const char * key);
