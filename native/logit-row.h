#pragma once

#include "llama.h"
#include "logit-blocks.h"

#include <algorithm>
#include <cfloat>
#include <climits>
#include <cmath>
#include <memory>
#include <vector>

// Place in the order of a row's tokens: larger logits come first, and among equal ones the smaller token.
struct Cut {
    float logit;
    llama_token token;

    // Returns true for a token before the place or at it.
    bool keeps(float other, llama_token other_token) const {
        return other > logit || (other == logit && other_token <= token);
    }
};

// Cut that keeps every token that is not banned.
constexpr Cut KEEP_ALL = {-FLT_MAX, INT_MAX};

// Returns the cut that keeps the tokens which both keep.
inline Cut stricter(Cut left, Cut right) {
    return left.keeps(right.logit, right.token) ? right : left;
}

// Weights of a row's blocks, and their sum.
struct BlockMasses {
    std::vector<float> ofBlock;
    double total = 0.0;
};

// Memory for one row at a time, reused for the next row.
struct RowMemory {
    std::vector<float> logits; // the row itself where it had to be changed
    std::vector<llama_token_data> candidates;
    std::vector<llama_token> tokens;
    std::vector<float> maxima;
    BlockMasses masses;
    BlockMasses weights;

    // Returns the memory for a shorter row that is made from this one.
    RowMemory & shorter();

  private:
    std::unique_ptr<RowMemory> shorter_;
};

// Logits after one token, and the largest of each block. Neither the logits nor the memory may change during its
// lifetime.
class LogitRow {
  public:
    LogitRow(const float * logits, int32_t size, RowMemory & memory);

    // Returns the largest logit; -INFINITY if every token is banned.
    float max() const { return max_; }
    int32_t size() const { return size_; }
    float logit(llama_token token) const { return logits_[token]; }
    RowMemory & memory() const { return memory_; }

    // Returns the first token with the largest logit.
    llama_token mostLikely() const;

    // Returns the smallest logit that is not banned.
    float lowest() const;

    size_t blocks() const { return blocks_; }
    float maximum(size_t block) const { return memory_.maxima[block]; }

    // Fills `tokens` with those that the cut keeps, in order of ids.
    void collect(Cut cut, std::vector<llama_token> & tokens) const;

    // Collects only those kept tokens whose logits are in this bin of the range.
    void collectBin(Cut cut, BinRange range, int32_t bin, std::vector<llama_token> & tokens) const;

    // Weighs the tokens that the cut keeps.
    void weigh(Cut cut, Weighing weighing, BlockMasses & masses) const;

    // Returns the first token, in order of ids, at which the running sum of the weights that `weigh` found exceeds `target`.
    llama_token tokenAt(double target, const BlockMasses & masses, Cut cut, Weighing weighing) const;

    // Returns true if the tokens that the cut keeps weigh `limit` or more. `masses` belong to a cut that keeps more. Stops
    // reading the row once the answer is certain.
    bool weighsAtLeast(double limit, Cut cut, Weighing weighing, const BlockMasses & masses) const;

    // Calls work(logits, first block, blocks, above) for parts of the row, of which the cut keeps the logits above
    // `above`. Ends early if work returns false.
    template <typename Work> void eachPart(Cut cut, Work work) const {
        const size_t last = blocks_ - 1;
        const size_t tie = std::min<size_t>(std::max(cut.token, 0) / BLOCK, last);
        float part[BLOCK];
        if (tie > 0 && !work(logits_, 0, tie, std::nextafter(cut.logit, -INFINITY))) return;
        if (!work(copyKept(tie, cut, part), tie, 1, -INFINITY) || tie == last) return;
        if (tie + 1 < last && !work(logits_ + (tie + 1) * BLOCK, tie + 1, last - tie - 1, cut.logit)) return;
        work(copyKept(last, cut, part), last, 1, -INFINITY);
    }

  private:
    const float * copyKept(size_t block, Cut cut, float * copy) const;

    const float * logits_;
    const int32_t size_;
    const size_t blocks_; // the last one may be shorter
    RowMemory & memory_;
    float max_;
};
