#pragma once

#include "logit-row.h"

#include <random>

struct ChoiceOptions {
    uint32_t seed;
    float temperature;
    float topP;
    int32_t topK;
    float minP;
};

// Chooses a token by chance: top-k, top-p, min-p, temperature, in this order, each like llama.cpp's sampler of that name.
// Nothing is sorted. A token is drawn as if there were no top-p, and kept if it is among those that top-p keeps, which one look
// tells. After some that are not, those are found, and another is drawn among them.
class TokenChooser {
  public:
    explicit TokenChooser(const ChoiceOptions & options);

    // Always the largest logit.
    bool isGreedy() const { return is_greedy_; }

    // Throws std::runtime_error where every token is banned.
    llama_token choose(const LogitRow & row);

  private:
    llama_token chooseAmong(const LogitRow & row, Cut top_k);
    llama_token draw(const LogitRow & row, Cut cut, Weighing weighing, const BlockMasses & weights);
    llama_token drawByBounds(const LogitRow & row, Cut cut, Weighing tempered);
    double chance() { return std::uniform_real_distribution<double>(0.0, 1.0)(random_); }

    const ChoiceOptions options_;
    const bool is_greedy_;
    std::mt19937 random_;
};
