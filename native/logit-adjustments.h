#pragma once

#include "llama.h"

#include <unordered_map>
#include <vector>

struct AdjustmentOptions {
    std::vector<llama_logit_bias> bias;
    float repeatPenalty;
    float presencePenalty;
    float frequencyPenalty;
};

// Changes the logits of single tokens: adds the bias, then applies the repeat penalty, then presence and frequency penalty.
// Other tokens are not touched.
class LogitAdjustments {
  public:
    explicit LogitAdjustments(const AdjustmentOptions & options);

    // Returns true if `apply` never changes a logit.
    bool isNone() const { return options_.bias.empty() && !repeats_ && !counts_; }

    void apply(float * logits) const;

    // Counts a chosen token.
    void accept(llama_token token);

    // Counts a token of the prompt, for the repeat penalty only.
    void acceptPrompt(llama_token token);

    int64_t sizeBytes() const;

  private:
    struct Seen {
        llama_token token;
        int32_t chosen; // number of times
    };

    Seen & seen(llama_token token);

    const AdjustmentOptions options_;
    const bool repeats_; // the repeat penalty is on
    const bool counts_;  // presence or frequency penalty is on
    std::vector<Seen> seen_; // in the order of their first time
    std::unordered_map<llama_token, size_t> places_;
};
