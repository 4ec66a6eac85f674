#pragma once

#include "logit-row.h"

#include <vector>

struct TokenLogprob {
    llama_token token;
    float logprob;
};

struct Logprobs {
    float chosen;
    std::vector<TokenLogprob> top; // most likely first
};

// Returns log probabilities of the row's own distribution: log softmax of its logits.
Logprobs logprobsOf(const LogitRow & row, llama_token chosen, int32_t top_count);
