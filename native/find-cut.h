#pragma once

#include "logit-row.h"

// Returns the last token at which the weight of all before it is below `target`. Looks at the tokens that `floor` keeps;
// returns `floor` where all of them come to less. Does not sort: it weighs the row in bins of logits, and looks again at the
// bin that matters.
Cut findCut(const LogitRow & row, Cut floor, Weighing weighing, double target);

// Returns a cut that keeps the `count` largest logits of those that are not banned.
Cut largestCut(const LogitRow & row, int32_t count);

// Fills `tokens` with those of the `count` largest logits, in the order of numbers. Quick where `count` is less than the number
// of blocks.
void largestTokens(const LogitRow & row, int32_t count, std::vector<llama_token> & tokens);
