#include "top-candidates.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace {

constexpr int32_t BLOCK = 64;
// Lanes that do not depend on each other let the compiler use vector instructions.
constexpr int32_t LANES = 16;

float blockMax(const float * logits) {
    float lanes[LANES];
    std::copy_n(logits, LANES, lanes);
    for (int32_t i = LANES; i < BLOCK; i += LANES) {
        for (int32_t lane = 0; lane < LANES; lane++) {
            lanes[lane] = logits[i + lane] > lanes[lane] ? logits[i + lane] : lanes[lane];
        }
    }
    return *std::max_element(lanes, lanes + LANES);
}

} // namespace

void topCandidates(const float * logits, int32_t size, int32_t count, std::vector<llama_token_data> & candidates) {
    candidates.clear();
    const int32_t blocks = size / BLOCK;
    std::vector<float> maxima(blocks);
    for (int32_t block = 0; block < blocks; block++) maxima[block] = blockMax(logits + block * BLOCK);

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
