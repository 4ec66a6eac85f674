#include "logit-adjustments.h"

LogitAdjustments::LogitAdjustments(const AdjustmentOptions & options)
    : options_(options), repeats_(options.repeatPenalty != 1.0f),
      counts_(options.presencePenalty != 0.0f || options.frequencyPenalty != 0.0f) {}

void LogitAdjustments::apply(float * logits) const {
    for (const auto & [token, bias] : options_.bias) logits[token] += bias;
    for (const auto & [token, chosen] : seen_) {
        float & logit = logits[token];
        // A negative logit is multiplied, since a division would make its token likelier.
        if (repeats_) logit = logit <= 0.0f ? logit * options_.repeatPenalty : logit / options_.repeatPenalty;
        if (chosen > 0) logit -= chosen * options_.frequencyPenalty + options_.presencePenalty;
    }
}

void LogitAdjustments::accept(llama_token token) {
    if (repeats_ || counts_) seen(token).chosen++;
}

void LogitAdjustments::acceptPrompt(llama_token token) {
    if (repeats_) seen(token);
}

LogitAdjustments::Seen & LogitAdjustments::seen(llama_token token) {
    const auto [place, is_new] = places_.emplace(token, seen_.size());
    if (is_new) seen_.push_back({token, 0});
    return seen_[place->second];
}

int64_t LogitAdjustments::sizeBytes() const {
    constexpr int64_t MAP_ENTRY_BYTES = 40;
    const int64_t seen_bytes = seen_.capacity() * sizeof(Seen) + places_.size() * MAP_ENTRY_BYTES;
    return options_.bias.size() * sizeof(llama_logit_bias) + seen_bytes;
}
