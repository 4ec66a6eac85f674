#include "logprobs.h"

#include <algorithm>
#include <cmath>

Logprobs logprobsOf(const float * logits, int32_t size, llama_token chosen, int32_t top_count) {
    const float max = *std::max_element(logits, logits + size);
    double sum = 0.0;
    for (int32_t i = 0; i < size; i++) sum += std::exp(logits[i] - max);
    const float log_sum = max + static_cast<float>(std::log(sum));

    // A sorted list of at most 20: cheaper than a heap, and nearly every token fails the first comparison.
    std::vector<TokenLogprob> top;
    for (llama_token token = 0; token < size && top_count > 0; token++) {
        const float logprob = logits[token] - log_sum;
        const bool full = top.size() == static_cast<size_t>(top_count);
        if (full && logprob <= top.back().logprob) continue;
        if (full) top.pop_back();
        const auto place = std::find_if(top.begin(), top.end(),
                                        [&](const TokenLogprob & other) { return other.logprob < logprob; });
        top.insert(place, {token, logprob});
    }
    return {logits[chosen] - log_sum, std::move(top)};
}
