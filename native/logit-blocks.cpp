#include "logit-blocks.h"

#include <cmath>
#include <cstring>

// The functions for this kind of CPU are chosen when the library is loaded.
#if defined(__x86_64__)
#define FOR_EACH_CPU __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define FOR_EACH_CPU
#endif
#define INLINE inline __attribute__((always_inline))

namespace {

// Number of independent sums, so that the compiler can use vector instructions.
constexpr size_t LANES = 16;

// Returns exp of a number from -87 to 0, with an error below 1e-7 of its value. Smaller numbers count as -87.
INLINE float expOf(float number) {
    constexpr float ROUNDING = 12582912.0f; // 1.5 * 2^23: sums with it are whole
    const float x = number < -87.0f ? -87.0f : number;
    const float rounded = x * 1.44269504f + ROUNDING;
    const float power = rounded - ROUNDING;
    const float rest = x - power * 0.693359375f + power * 2.12194440e-4f;
    float sum = 1.9875691500e-4f;
    sum = sum * rest + 1.3981999507e-3f;
    sum = sum * rest + 8.3334519073e-3f;
    sum = sum * rest + 4.1665795894e-2f;
    sum = sum * rest + 1.6666665459e-1f;
    sum = sum * rest + 5.0000001201e-1f;
    sum = sum * rest * rest + rest + 1.0f;
    int32_t bits;
    std::memcpy(&bits, &rounded, sizeof(bits));
    bits = static_cast<int32_t>(static_cast<uint32_t>(bits) << 23) + 0x3F800000; // 2^power
    float factor;
    std::memcpy(&factor, &bits, sizeof(factor));
    return sum * factor;
}

INLINE float larger(float left, float right) {
    return left > right ? left : right;
}

} // namespace

float weightOf(float logit, Weighing weighing) {
    return expOf((logit - weighing.base) * weighing.scale);
}

FOR_EACH_CPU void blockMaxima(const float * logits, size_t blocks, float * maxima) {
    for (size_t block = 0; block < blocks; block++, logits += BLOCK) {
        float lanes[LANES];
        for (size_t lane = 0; lane < LANES; lane++) lanes[lane] = -INFINITY;
        for (size_t i = 0; i < BLOCK; i += LANES) {
            for (size_t lane = 0; lane < LANES; lane++) lanes[lane] = larger(logits[i + lane], lanes[lane]);
        }
        float best[4];
        for (size_t i = 0; i < 4; i++) best[i] = larger(larger(lanes[i], lanes[i + 4]), larger(lanes[i + 8], lanes[i + 12]));
        maxima[block] = larger(larger(best[0], best[1]), larger(best[2], best[3]));
    }
}

FOR_EACH_CPU float lowestLogit(const float * logits, size_t blocks) {
    float lanes[LANES];
    for (size_t lane = 0; lane < LANES; lane++) lanes[lane] = INFINITY;
    for (size_t i = 0; i < blocks * BLOCK; i += LANES) {
        for (size_t lane = 0; lane < LANES; lane++) {
            const float logit = logits[i + lane] > -INFINITY ? logits[i + lane] : INFINITY;
            lanes[lane] = logit < lanes[lane] ? logit : lanes[lane];
        }
    }
    float lowest = INFINITY;
    for (const float lane : lanes) lowest = lane < lowest ? lane : lowest;
    return lowest;
}

FOR_EACH_CPU void blockMasses(const float * logits, size_t blocks, const float * maxima, float above, Weighing weighing,
                              float * masses) {
    for (size_t block = 0; block < blocks; block++, logits += BLOCK) {
        masses[block] = 0.0f;
        if (!(maxima[block] > above)) continue;
        float lanes[LANES] = {};
        for (size_t i = 0; i < BLOCK; i += LANES) {
            for (size_t lane = 0; lane < LANES; lane++) {
                const float logit = logits[i + lane];
                const float weight = expOf((logit - weighing.base) * weighing.scale);
                lanes[lane] += logit > above ? weight : 0.0f;
            }
        }
        float sums[4];
        for (size_t i = 0; i < 4; i++) sums[i] = (lanes[i] + lanes[i + 4]) + (lanes[i + 8] + lanes[i + 12]);
        masses[block] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }
}

FOR_EACH_CPU float sumUpTo(float most, const float * masses, size_t blocks) {
    float lanes[LANES] = {};
    const size_t even = blocks - blocks % LANES;
    for (size_t i = 0; i < even; i += LANES) {
        for (size_t lane = 0; lane < LANES; lane++) lanes[lane] += masses[i + lane] < most ? masses[i + lane] : most;
    }
    float sum = 0.0f;
    for (const float lane : lanes) sum += lane;
    for (size_t i = even; i < blocks; i++) sum += masses[i] < most ? masses[i] : most;
    return sum;
}

FOR_EACH_CPU void addToBins(const float * logits, size_t blocks, const float * maxima, float above, BinRange range,
                            Weighing weighing, float * bins) {
    for (size_t block = 0; block < blocks; block++, logits += BLOCK) {
        if (!(maxima[block] > above)) continue;
        int32_t places[BLOCK];
        float weights[BLOCK];
        for (size_t i = 0; i < BLOCK; i++) {
            const float logit = logits[i];
            const bool is_in = (logit > above) & (logit <= range.high);
            const float weight = expOf((logit - weighing.base) * weighing.scale);
            weights[i] = is_in ? weight : 0.0f;
            const int32_t bin = range.binOf(is_in ? logit : range.low);
            // Additions to the same bin, even of zero, wait for each other.
            places[i] = is_in ? bin : static_cast<int32_t>(i);
        }
        for (size_t i = 0; i < BLOCK; i += BIN_COPIES) {
            for (size_t copy = 0; copy < BIN_COPIES; copy++) bins[copy * BINS + places[i + copy]] += weights[i + copy];
        }
    }
}

FOR_EACH_CPU size_t placesInBin(const float * block, float above, BinRange range, int32_t bin, int32_t * places) {
    int32_t is_in[BLOCK];
    int32_t found = 0;
    for (size_t i = 0; i < BLOCK; i++) {
        const bool is_near = (block[i] > above) & (block[i] <= range.high);
        is_in[i] = is_near & (range.binOf(is_near ? block[i] : range.low) == bin);
        found |= is_in[i];
    }
    if (found == 0) return 0;
    size_t count = 0;
    for (size_t i = 0; i < BLOCK; i++) {
        places[count] = static_cast<int32_t>(i);
        count += is_in[i];
    }
    return count;
}
