#pragma once

#include "llama.h"

#include <vector>

struct TokenLogprob {
    llama_token token;
    float logprob;
};

struct Logprobs {
    float chosen;
    std::vector<TokenLogprob> top; // most likely first
};

// Log probabilities of the model's own distribution: log softmax of the logits as they are.
Logprobs logprobsOf(const float * logits, int32_t size, llama_token chosen, int32_t top_count);
