#pragma once

#include "llama.h"

#include <string>
#include <vector>

// Overrides with which a model is loaded without its vocabulary, but for its size: reading 150,000 tokens takes 0.3 s, and tells
// nothing about memory. A list for `llama_model_params::kv_overrides`, its end included; empty if the file names no tokens.
std::vector<llama_model_kv_override> skipVocabulary(const std::string & path);
