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

// Chooses a token by chance: top-k, top-p, min-p, temperature, in this order, each like llama.cpp's sampler of that
// name. Does not sort: it draws a token as if there were no top-p, and checks with one look whether top-p keeps it.
// After some misses, it searches the tokens that top-p keeps, and draws among them.
class TokenChooser {
  public:
    explicit TokenChooser(const ChoiceOptions & options);

    // Returns true if it always chooses the largest logit.
    bool isGreedy() const { return is_greedy_; }

    // Throws std::runtime_error if every token is banned.
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
