#pragma once

#include "llama.h"

#include <vector>

// The first of the largest logits.
llama_token mostLikely(const float * logits, int32_t size);

// Fills `candidates` with the `count` largest logits, largest first; with all of them when there are fewer. Gives what
// sorting the whole vocabulary would, at a fraction of the cost: a vocabulary of 150,000 is read once, and only the blocks
// that hold a large logit are searched.
void topCandidates(const float * logits, int32_t size, int32_t count, std::vector<llama_token_data> & candidates);

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
