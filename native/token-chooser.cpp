#include "token-chooser.h"

#include "find-cut.h"

#include <algorithm>
#include <stdexcept>

namespace {

// Temperatures below this count as zero, since dividing by less overflows.
constexpr float MIN_TEMPERATURE = 1e-4f;

// Most draws before the tokens that top-p keeps are searched, and most tries of a draw that does not read the row.
constexpr int32_t MOST_DRAWS = 3;
constexpr int32_t MOST_TRIES = 16;

// Factor above the error of sums of weights.
constexpr float SLACK = 1.0001f;

// Returns a weight such that all tokens of lower weight add up to at most `rest`.
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
    const Cut allowed = stricter(kept, likely);
    const bool is_weighed = options_.temperature == 1.0f && options_.minP == 0.0f;
    bool is_tempered = false;
    Cut refused = KEEP_ALL;
    for (int32_t draws = 0; draws < MOST_DRAWS; draws++) {
        llama_token token = is_weighed ? draw(row, kept, plain, masses) : LLAMA_TOKEN_NULL;
        if (!is_weighed && !is_tempered && options_.temperature > 1.0f) token = drawByBounds(row, allowed, tempered);
        if (token == LLAMA_TOKEN_NULL) {
            if (!is_tempered) row.weigh(allowed, tempered, weights);
            is_tempered = true;
            token = draw(row, allowed, tempered, weights);
        }
        // Tokens after a refused one are refused too.
        if (!refused.keeps(row.logit(token), token)) continue;
        const Cut before = {row.logit(token), token - 1};
        if (!row.weighsAtLeast(limit, before, plain, masses)) return token;
        refused = before;
    }
    const Cut top_p = findCut(row, stricter(stricter(top_k, likely), refused), plain, limit);
    row.weigh(stricter(kept, top_p), tempered, weights);
    return draw(row, stricter(kept, top_p), tempered, weights);
}

llama_token TokenChooser::draw(const LogitRow & row, Cut cut, Weighing weighing, const BlockMasses & weights) {
    return row.tokenAt(chance() * weights.total, weights, cut, weighing);
}

// Draws as `draw` does without weighing the row: it draws a block by a bound of its weight, and keeps it with the
// probability of weight divided by bound. A power below 1 lies under its tangent, so that the block's plain mass gives
// the bound. Returns LLAMA_TOKEN_NULL if reading the row is no slower: most blocks hold nothing that is kept, or the
// bounds are too high.
llama_token TokenChooser::drawByBounds(const LogitRow & row, Cut cut, Weighing tempered) {
    const auto & masses = row.memory().masses;
    auto & bounds = row.memory().weights;
    const double mean = masses.total / row.size();
    const float fixed = BLOCK * (1 - tempered.scale) * std::pow(mean, tempered.scale);
    const float slope = SLACK * tempered.scale * std::pow(mean, tempered.scale - 1);
    bounds.ofBlock.resize(row.blocks());
    bounds.total = 0.0;
    size_t kept = 0;
    for (size_t block = 0; block < row.blocks(); block++) {
        const bool is_kept = row.maximum(block) >= cut.logit;
        bounds.ofBlock[block] = is_kept ? SLACK * fixed + slope * masses.ofBlock[block] : 0.0f;
        bounds.total += bounds.ofBlock[block];
        kept += is_kept;
    }
    if (kept * 2 < row.blocks()) return LLAMA_TOKEN_NULL;
    for (int32_t tries = 0; tries < MOST_TRIES; tries++) {
        double target = chance() * bounds.total;
        size_t block = 0;
        while (block + 1 < row.blocks() && target >= bounds.ofBlock[block]) target -= bounds.ofBlock[block++];
        // The rest of the target is uniform over the block's bound, so that it also chooses the token in the block.
        const llama_token first = block * BLOCK;
        const llama_token end = std::min<llama_token>(row.size(), first + BLOCK);
        for (llama_token token = first; token < end; token++) {
            if (!cut.keeps(row.logit(token), token)) continue;
            target -= weightOf(row.logit(token), tempered);
            if (target < 0.0) return token;
        }
    }
    return LLAMA_TOKEN_NULL;
}
