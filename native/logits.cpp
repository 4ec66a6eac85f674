#include "logits.h"

#include "find-cut.h"

#include <algorithm>
#include <cmath>

Logprobs logprobsOf(const LogitRow & row, llama_token chosen, int32_t top_count) {
    row.weigh(KEEP_ALL, {row.max(), 1.0f}, row.memory().masses);
    const float log_sum = row.max() + static_cast<float>(std::log(row.memory().masses.total));
    Logprobs result = {row.logit(chosen) - log_sum, {}};
    if (top_count <= 0) return result;
    auto & tokens = row.memory().tokens;
    largestTokens(row, std::min(top_count, row.size()), tokens);
    for (const llama_token token : tokens) result.top.push_back({token, row.logit(token) - log_sum});
    std::stable_sort(result.top.begin(), result.top.end(),
                     [](const TokenLogprob & left, const TokenLogprob & right) { return left.logprob > right.logprob; });
    return result;
}
