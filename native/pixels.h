#pragma once

#include <cstdint>
#include <vector>

struct PixelSize {
    int width;
    int height;

    bool operator==(const PixelSize & other) const { return width == other.width && height == other.height; }
};

// Pixels in rows from the top, three bytes each.
struct Pixels {
    PixelSize size;
    std::vector<uint8_t> rgb;
};

// Shrinks a picture. Each new pixel is the average of its area. No side may grow.
Pixels shrink(Pixels pixels, PixelSize size);

// Returns the upright size. EXIF's orientations 5 to 8 exchange width and height.
PixelSize uprightSize(PixelSize stored, int orientation);

Pixels turnUpright(Pixels pixels, int orientation);

// Converts four bytes per pixel to three over a white background.
Pixels overWhite(const uint8_t * rgba, PixelSize size);
