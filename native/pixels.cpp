#include "pixels.h"

#include <algorithm>
#include <cstring>

namespace {

constexpr size_t CHANNELS = 3;

size_t rowBytes(PixelSize size) {
    return CHANNELS * size.width;
}

// Share of an old pixel in a new one. The weights of a new pixel add up to 1.
struct Share {
    int target;
    float weight;
};

// Returns the shares of old pixel `i`: one, or two if it is cut.
std::vector<Share> sharesOf(int i, int from, int to) {
    std::vector<Share> shares;
    const double scale = static_cast<double>(to) / from;
    const double begin = i * scale;
    const double end = (i + 1) * scale;
    for (int target = static_cast<int>(begin); target < to && target < end; target++) {
        const double covered = std::min<double>(end, target + 1) - std::max<double>(begin, target);
        if (covered > 0) shares.push_back({target, static_cast<float>(covered)});
    }
    return shares;
}

} // namespace

Pixels shrink(Pixels pixels, PixelSize size) {
    if (pixels.size == size) return pixels;
    std::vector<std::vector<Share>> columns;
    for (int x = 0; x < pixels.size.width; x++) columns.push_back(sharesOf(x, pixels.size.width, size.width));

    // Row by row, so that no second picture of the old size is in memory.
    std::vector<float> row(rowBytes(size));
    std::vector<float> sums(rowBytes(size));
    Pixels result = {size, std::vector<uint8_t>(rowBytes(size) * size.height)};
    int current = 0;
    const auto finish = [&](int until) {
        for (; current < until; current++) {
            uint8_t * target = &result.rgb[rowBytes(size) * current];
            for (size_t i = 0; i < rowBytes(size); i++) {
                target[i] = static_cast<uint8_t>(std::clamp(sums[i] + 0.5f, 0.0f, 255.0f));
            }
            std::fill(sums.begin(), sums.end(), 0.0f);
        }
    };
    for (int y = 0; y < pixels.size.height; y++) {
        std::fill(row.begin(), row.end(), 0.0f);
        const uint8_t * pixel = &pixels.rgb[rowBytes(pixels.size) * y];
        for (const auto & shares : columns) {
            for (const auto & share : shares) {
                for (size_t c = 0; c < CHANNELS; c++) row[CHANNELS * share.target + c] += share.weight * pixel[c];
            }
            pixel += CHANNELS;
        }
        for (const auto & share : sharesOf(y, pixels.size.height, size.height)) {
            finish(share.target);
            for (size_t i = 0; i < row.size(); i++) sums[i] += share.weight * row[i];
        }
    }
    finish(size.height);
    return result;
}

PixelSize uprightSize(PixelSize stored, int orientation) {
    return orientation < 5 ? stored : PixelSize{stored.height, stored.width};
}

Pixels turnUpright(Pixels pixels, int orientation) {
    if (orientation == 1) return pixels;
    const bool is_turned = orientation >= 5;
    const bool from_right = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
    const bool from_bottom = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
    Pixels result = {uprightSize(pixels.size, orientation), std::vector<uint8_t>(pixels.rgb.size())};
    uint8_t * target = result.rgb.data();
    for (int y = 0; y < result.size.height; y++) {
        for (int x = 0; x < result.size.width; x++) {
            const int column = is_turned ? y : x;
            const int line = is_turned ? x : y;
            const size_t source_x = from_right ? pixels.size.width - 1 - column : column;
            const size_t source_y = from_bottom ? pixels.size.height - 1 - line : line;
            std::memcpy(target, &pixels.rgb[rowBytes(pixels.size) * source_y + CHANNELS * source_x], CHANNELS);
            target += CHANNELS;
        }
    }
    return result;
}

Pixels overWhite(const uint8_t * rgba, PixelSize size) {
    Pixels result = {size, std::vector<uint8_t>(rowBytes(size) * size.height)};
    for (size_t i = 0; i < result.rgb.size() / CHANNELS; i++) {
        const uint8_t * pixel = rgba + 4 * i;
        for (size_t c = 0; c < CHANNELS; c++) {
            result.rgb[CHANNELS * i + c] = static_cast<uint8_t>((pixel[c] * pixel[3] + 255 * (255 - pixel[3]) + 127) / 255);
        }
    }
    return result;
}
