#include "logit-row.h"

#include <algorithm>

namespace {

// Blocks that are weighed between two checks of the sum.
constexpr size_t STRIDE = 64;

// Largest scaled distance below the top logit that still counts: e^-87 is negligible beside 1.
constexpr float SMALLEST_EXPONENT = 87.0f;

} // namespace

RowMemory & RowMemory::shorter() {
    if (!shorter_) shorter_ = std::make_unique<RowMemory>();
    return *shorter_;
}

LogitRow::LogitRow(const float * logits, int32_t size, RowMemory & memory)
    : logits_(logits), size_(size), blocks_((size + BLOCK - 1) / BLOCK), memory_(memory) {
    memory_.maxima.resize(blocks_);
    float * maxima = memory_.maxima.data();
    float part[BLOCK];
    blockMaxima(logits_, blocks_ - 1, maxima);
    blockMaxima(copyKept(blocks_ - 1, KEEP_ALL, part), 1, maxima + blocks_ - 1);
    max_ = *std::max_element(maxima, maxima + blocks_);
}

// Copies a block, with -INFINITY for logits that are not kept or are beyond the row's end.
const float * LogitRow::copyKept(size_t block, Cut cut, float * copy) const {
    for (size_t i = 0; i < BLOCK; i++) {
        const auto token = static_cast<llama_token>(block * BLOCK + i);
        copy[i] = token < size_ && cut.keeps(logits_[token], token) ? logits_[token] : -INFINITY;
    }
    return copy;
}

llama_token LogitRow::mostLikely() const {
    const auto & maxima = memory_.maxima;
    const auto block = std::find(maxima.begin(), maxima.end(), max_) - maxima.begin();
    return std::find(logits_ + block * BLOCK, logits_ + size_, max_) - logits_;
}

float LogitRow::lowest() const {
    float lowest = INFINITY;
    eachPart(KEEP_ALL, [&](const float * logits, size_t, size_t blocks, float) {
        lowest = std::min(lowest, lowestLogit(logits, blocks));
        return true;
    });
    return lowest;
}

void LogitRow::collect(Cut cut, std::vector<llama_token> & tokens) const {
    collectBin(cut, {cut.logit, max_, /* binsPerUnit */ 0.0f}, 0, tokens);
}

void LogitRow::collectBin(Cut cut, BinRange range, int32_t bin, std::vector<llama_token> & tokens) const {
    tokens.clear();
    eachPart(cut, [&](const float * logits, size_t first, size_t blocks, float above) {
        int32_t places[BLOCK];
        for (size_t block = 0; block < blocks; block++) {
            if (!(maximum(first + block) > above)) continue;
            const size_t found = placesInBin(logits + block * BLOCK, above, range, bin, places);
            for (size_t i = 0; i < found; i++) tokens.push_back((first + block) * BLOCK + places[i]);
        }
        return true;
    });
}

void LogitRow::weigh(Cut cut, Weighing weighing, BlockMasses & masses) const {
    masses.ofBlock.resize(blocks_);
    if (weighing.scale > 0) cut = stricter(cut, {weighing.base - SMALLEST_EXPONENT / weighing.scale, INT_MAX});
    eachPart(cut, [&](const float * logits, size_t first, size_t blocks, float above) {
        blockMasses(logits, blocks, &memory_.maxima[first], above, weighing, &masses.ofBlock[first]);
        return true;
    });
    masses.total = 0.0;
    for (const float mass : masses.ofBlock) masses.total += mass;
}

llama_token LogitRow::tokenAt(double target, const BlockMasses & masses, Cut cut, Weighing weighing) const {
    double sum = 0.0;
    size_t found = 0;
    for (size_t block = 0; block < blocks_; block++) {
        const float mass = masses.ofBlock[block];
        if (mass == 0.0f) continue;
        found = block;
        if (sum + mass > target) break;
        sum += mass;
    }
    llama_token chosen = LLAMA_TOKEN_NULL;
    for (llama_token token = found * BLOCK; token < size_ && token < static_cast<llama_token>((found + 1) * BLOCK); token++) {
        if (!cut.keeps(logits_[token], token)) continue;
        chosen = token;
        sum += weightOf(logits_[token], weighing);
        if (sum > target) break;
    }
    return chosen;
}

bool LogitRow::weighsAtLeast(double limit, Cut cut, Weighing weighing, const BlockMasses & masses) const {
    double kept = 0.0;
    double rest = masses.total;
    eachPart(cut, [&](const float * logits, size_t first, size_t blocks, float above) {
        float found[STRIDE];
        for (size_t from = 0; from < blocks; from += STRIDE) {
            const size_t count = std::min(STRIDE, blocks - from);
            blockMasses(logits + from * BLOCK, count, &memory_.maxima[first + from], above, weighing, found);
            for (size_t i = 0; i < count; i++) {
                kept += found[i];
                rest -= masses.ofBlock[first + from + i];
            }
            if (kept >= limit || kept + rest < limit) return false;
        }
        return true;
    });
    return kept >= limit;
}
