#include "find-cut.h"

#include <algorithm>

namespace {

// Most tokens in a row that are sorted without bins, which takes no longer.
constexpr int32_t FEW = 256;

// Most tokens in a bin that are sorted, which takes no longer than reading the row again.
constexpr size_t MANY = 1024;

// Returns the weights by bin of the tokens that `floor` keeps, up to range.high.
std::vector<float> weighBins(const LogitRow & row, Cut floor, BinRange range, Weighing weighing) {
    std::vector<float> bins(BINS * BIN_COPIES, 0.0f);
    row.eachPart(floor, [&](const float * logits, size_t first, size_t blocks, float above) {
        addToBins(logits, blocks, &row.memory().maxima[first], above, range, weighing, bins.data());
        return true;
    });
    for (size_t i = BINS; i < bins.size(); i++) bins[i % BINS] += bins[i];
    bins.resize(BINS);
    return bins;
}

} // namespace

Cut findCut(const LogitRow & row, Cut floor, Weighing weighing, double target) {
    auto & tokens = row.memory().tokens;
    float high = row.max();
    double before = 0.0;
    while (true) {
        const float bins_per_unit = (BINS - 1) / (high - floor.logit);
        const bool has_bins = row.size() > FEW && std::isnormal(bins_per_unit);
        const BinRange range = {floor.logit, high, has_bins ? bins_per_unit : 0.0f};
        int32_t bin = 0;
        if (has_bins) {
            const auto bins = weighBins(row, floor, range, weighing);
            for (bin = BINS - 1; bin > 0 && before + bins[bin] < target; bin--) before += bins[bin];
        }
        row.collectBin(floor, range, bin, tokens);
        if (tokens.empty()) return floor;
        float lowest = INFINITY;
        float highest = -INFINITY;
        for (const llama_token token : tokens) {
            lowest = std::min(lowest, row.logit(token));
            highest = std::max(highest, row.logit(token));
        }
        if (lowest == highest) break; // they are in order
        if (tokens.size() <= MANY || !has_bins) {
            std::sort(tokens.begin(), tokens.end(), [&](llama_token left, llama_token right) {
                return row.logit(left) != row.logit(right) ? row.logit(left) > row.logit(right) : left < right;
            });
            break;
        }
        high = highest;
        floor = stricter(floor, {lowest, INT_MAX});
    }
    for (const llama_token token : tokens) {
        before += weightOf(row.logit(token), weighing);
        if (before >= target) return {row.logit(token), token};
    }
    return {row.logit(tokens.back()), tokens.back()};
}

Cut largestCut(const LogitRow & row, int32_t count) {
    return findCut(row, {row.lowest(), INT_MAX}, {row.max(), 0.0f}, count);
}

void largestTokens(const LogitRow & row, int32_t count, std::vector<llama_token> & tokens) {
    auto & memory = row.memory().shorter();
    float floor = -INFINITY;
    if (static_cast<size_t>(count) < row.blocks()) {
        // `count` blocks hold a logit of at least this value, so no smaller one can be among the largest.
        const LogitRow maxima(row.memory().maxima.data(), row.blocks(), memory);
        largestTokens(maxima, count, memory.tokens);
        // If other blocks are banned, a block can hold several of the largest tokens.
        if (memory.tokens.size() == static_cast<size_t>(count)) {
            floor = INFINITY;
            for (const llama_token block : memory.tokens) floor = std::min(floor, maxima.logit(block));
        }
    }
    if (floor == -INFINITY || floor == INFINITY) {
        row.collect(largestCut(row, count), tokens);
        return;
    }
    row.collect({floor, INT_MAX}, tokens);
    memory.logits.clear();
    for (const llama_token token : tokens) memory.logits.push_back(row.logit(token));
    const LogitRow collected(memory.logits.data(), memory.logits.size(), memory);
    const Cut cut = findCut(collected, {floor, INT_MAX}, {row.max(), 0.0f}, count);
    size_t kept = 0;
    for (size_t place = 0; place < tokens.size(); place++) {
        if (cut.keeps(collected.logit(place), place)) tokens[kept++] = tokens[place];
    }
    tokens.resize(kept);
}
