#include "logits.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace {

constexpr int32_t BLOCK = 64;

// Lanes that do not depend on each other let the compiler use vector instructions: five times faster than comparing one by
// one, which tells on a vocabulary of 150,000.
inline float largest(const float * logits, int32_t size) {
    constexpr int32_t LANES = 16;
    float lanes[LANES];
    std::fill_n(lanes, LANES, -INFINITY);
    const int32_t even = size - size % LANES;
    for (int32_t i = 0; i < even; i += LANES) {
        for (int32_t lane = 0; lane < LANES; lane++) {
            lanes[lane] = logits[i + lane] > lanes[lane] ? logits[i + lane] : lanes[lane];
        }
    }
    float best = *std::max_element(lanes, lanes + LANES);
    for (int32_t i = even; i < size; i++) best = std::max(best, logits[i]);
    return best;
}

} // namespace

llama_token mostLikely(const float * logits, int32_t size) {
    const float * found = std::find(logits, logits + size, largest(logits, size));
    return found == logits + size ? 0 : static_cast<llama_token>(found - logits);
}

void topCandidates(const float * logits, int32_t size, int32_t count, std::vector<llama_token_data> & candidates) {
    candidates.clear();
    const int32_t blocks = size / BLOCK;
    std::vector<float> maxima(blocks);
    for (int32_t block = 0; block < blocks; block++) maxima[block] = largest(logits + block * BLOCK, BLOCK);

    // As many blocks as candidates are wanted hold a logit of at least this: no smaller one can be among them.
    float threshold = -INFINITY;
    if (count < blocks) {
        std::vector<float> sorted = maxima;
        std::nth_element(sorted.begin(), sorted.begin() + count - 1, sorted.end(), std::greater<float>());
        threshold = sorted[count - 1];
    }
    const auto collect = [&](int32_t from, int32_t to) {
        for (int32_t token = from; token < to; token++) {
            if (logits[token] >= threshold) candidates.push_back({token, logits[token], 0.0f});
        }
    };
    for (int32_t block = 0; block < blocks; block++) {
        if (maxima[block] >= threshold) collect(block * BLOCK, (block + 1) * BLOCK);
    }
    collect(blocks * BLOCK, size);

    const auto kept = std::min<size_t>(count, candidates.size());
    std::partial_sort(candidates.begin(), candidates.begin() + kept, candidates.end(),
                      [](const llama_token_data & left, const llama_token_data & right) {
                          return left.logit != right.logit ? left.logit > right.logit : left.id < right.id;
                      });
    candidates.resize(kept);
}

Logprobs logprobsOf(const float * logits, int32_t size, llama_token chosen, int32_t top_count) {
    const float max = largest(logits, size);
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
