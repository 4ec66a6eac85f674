#pragma once

#include <cstddef>
#include <cstdint>

// Vector loops over rows of logits, compiled for several kinds of CPU. A row is read in blocks, so that blocks without a
// logit that matters can be skipped.
constexpr size_t BLOCK = 64;

// Bins of a histogram, and the number of its copies: neighbours in a row with the same bin would wait for each other.
constexpr size_t BINS = 1024;
constexpr size_t BIN_COPIES = 4;

// Weight of a logit: exp((logit - base) * scale). With scale 0 each logit weighs 1. No logit may be above the base.
struct Weighing {
    float base;
    float scale;
};

float weightOf(float logit, Weighing weighing);

// Part of the logit scale, in equal bins.
struct BinRange {
    float low;
    float high;
    float binsPerUnit;

    int32_t binOf(float logit) const { return static_cast<int32_t>((logit - low) * binsPerUnit); }
};

// Writes the largest logit of each block.
void blockMaxima(const float * logits, size_t blocks, float * maxima);

// Returns the smallest logit above -INFINITY; INFINITY if there is none.
float lowestLogit(const float * logits, size_t blocks);

// Writes the weight of each block's logits above `above`.
void blockMasses(const float * logits, size_t blocks, const float * maxima, float above, Weighing weighing, float * masses);

// Returns the sum of the masses, each of at most `most`.
float sumUpTo(float most, const float * masses, size_t blocks);

// Adds the weights of all logits that are above `above` and in the range to BIN_COPIES arrays of BINS.
void addToBins(const float * logits, size_t blocks, const float * maxima, float above, BinRange range, Weighing weighing,
               float * bins);

// Writes the places in a block of the logits above `above` in this bin of the range. Returns their number.
size_t placesInBin(const float * block, float above, BinRange range, int32_t bin, int32_t * places);
