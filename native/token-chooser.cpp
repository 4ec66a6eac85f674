#include "token-chooser.h"

#include "find-cut.h"

#include <algorithm>
#include <stdexcept>

namespace {

// Below this a temperature is zero: dividing by less overflows.
constexpr float MIN_TEMPERATURE = 1e-4f;

// Returns a weight below which all tokens together come to no more than `rest`.
float negligibleWeight(const BlockMasses & masses, double rest) {
    const auto & blocks = masses.ofBlock;
    float weight = rest / (blocks.size() * BLOCK);
    while (weight < 0.5f && sumUpTo(weight * 2 * BLOCK, blocks.data(), blocks.size()) < rest) weight *= 2;
    return weight;
}

} // namespace

TokenChooser::TokenChooser(const ChoiceOptions & options)
    : options_(options),
      is_greedy_(options.temperature < MIN_TEMPERATURE || options.topP <= 0.0f || options.topK == 1),
      random_(options.seed) {}

llama_token TokenChooser::choose(const LogitRow & row) {
    if (row.max() == -INFINITY) throw std::runtime_error("every token is banned");
    if (is_greedy_ || row.max() == INFINITY) return row.mostLikely();
    const int32_t top_k = options_.topK;
    if (top_k <= 0 || top_k >= row.size()) return chooseAmong(row, KEEP_ALL);
    if (static_cast<size_t>(top_k) >= row.blocks()) return chooseAmong(row, largestCut(row, top_k));

    auto & tokens = row.memory().tokens;
    auto & memory = row.memory().shorter();
    largestTokens(row, top_k, tokens);
    memory.logits.clear();
    for (const llama_token token : tokens) memory.logits.push_back(row.logit(token));
    return tokens[chooseAmong(LogitRow(memory.logits.data(), memory.logits.size(), memory), KEEP_ALL)];
}

llama_token TokenChooser::chooseAmong(const LogitRow & row, Cut top_k) {
    const Weighing plain = {row.max(), 1.0f};
    const Weighing tempered = {row.max(), 1.0f / options_.temperature};
    const Cut kept = stricter(top_k, {row.max() + std::log(options_.minP), INT_MAX});
    auto & weights = row.memory().weights;
    if (options_.topP >= 1.0f) {
        row.weigh(kept, tempered, weights);
        return draw(row, kept, tempered, weights);
    }

    auto & masses = row.memory().masses;
    row.weigh(top_k, plain, masses);
    const double limit = options_.topP * masses.total;
    const Cut likely = {row.max() + std::log(negligibleWeight(masses, masses.total - limit)), INT_MAX};
    llama_token token;
    if (options_.temperature == 1.0f && options_.minP == 0.0f) {
        token = draw(row, kept, plain, masses);
    } else {
        row.weigh(stricter(kept, likely), tempered, weights);
        token = draw(row, stricter(kept, likely), tempered, weights);
    }
    const Cut before = {row.logit(token), token - 1};
    if (!row.weighsAtLeast(limit, before, plain, masses)) return token;
    const Cut top_p = findCut(row, stricter(stricter(top_k, likely), before), plain, limit);
    row.weigh(stricter(kept, top_p), tempered, weights);
    return draw(row, stricter(kept, top_p), tempered, weights);
}

llama_token TokenChooser::draw(const LogitRow & row, Cut cut, Weighing weighing, const BlockMasses & weights) {
    const double share = std::uniform_real_distribution<double>(0.0, 1.0)(random_);
    return row.tokenAt(share * weights.total, weights, cut, weighing);
}
