#pragma once

#include <napi.h>

#include "logit-row.h"

#include <cstdint>
#include <vector>

// Scores of the tokens that follow consecutive entries of a batch: how likely each is after the entries before it.
class Scores {
  public:
    // Reads {entry, next, top}: `next[i]` follows entry `entry` + i. Throws if entries or tokens do not exist.
    static Scores from(const Napi::Object & wish, int32_t entries, int32_t vocabulary_size);

    int32_t entry() const { return entry_; }
    int32_t rows() const { return static_cast<int32_t>(next_.size()); }
    // Reads of a whole row of logits per score.
    int32_t passes() const { return top_ > 0 ? 4 : 3; }

    // Scores the token behind entry `entry()` + `row`, on any thread.
    void compute(int32_t row, const float * logits, RowMemory & memory);

    // Returns {logprobs, ranks, topTokens, topLogprobs}, the last two with an equal number for each row.
    Napi::Object toObject(Napi::Env env) const;

  private:
    int32_t entry_ = 0;
    int32_t top_ = 0;
    int32_t vocabulary_size_ = 0;
    std::vector<llama_token> next_;
    std::vector<float> logprobs_;
    std::vector<int32_t> ranks_;
    std::vector<llama_token> top_tokens_;
    std::vector<float> top_logprobs_;
};
