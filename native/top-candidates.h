#pragma once

#include "llama.h"

#include <vector>

// Fills `candidates` with the `count` largest logits, largest first; with all of them when there are fewer. The same that
// sorting the whole vocabulary would put in front, at a fraction of the cost: a vocabulary of 150,000 is read once, and
// only the blocks that hold a large logit are looked into.
void topCandidates(const float * logits, int32_t size, int32_t count, std::vector<llama_token_data> & candidates);
