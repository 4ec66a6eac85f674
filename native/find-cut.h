#pragma once

#include "logit-row.h"

// Returns the last token before which the weights add up to less than `target`, among the tokens that `floor` keeps.
// Returns `floor` if their total is less. Does not sort: it weighs bins of logits, and then reads again only the bin
// with the cut.
Cut findCut(const LogitRow & row, Cut floor, Weighing weighing, double target);

// Returns a cut that keeps the `count` largest logits that are not banned.
Cut largestCut(const LogitRow & row, int32_t count);

// Fills `tokens` with the `count` tokens of the largest logits, in order of ids. Quick where `count` is less than the number
// of blocks.
void largestTokens(const LogitRow & row, int32_t count, std::vector<llama_token> & tokens);
