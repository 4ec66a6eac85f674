#pragma once

#include "llama.h"

#include <string>
#include <vector>

// Returns overrides by which a model is loaded with only the size of its vocabulary: reading 150,000 tokens takes 0.3
// s, and does not change its memory. A list for `llama_model_params::kv_overrides` with its end; empty if the file
// names no tokens.
std::vector<llama_model_kv_override> skipVocabulary(const std::string & path);
