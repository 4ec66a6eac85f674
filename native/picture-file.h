#pragma once

#include "pixels.h"

#include <stdexcept>
#include <string>
#include <vector>

// Error of a file from which no picture can be made.
struct PictureError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Picture as JavaScript describes it.
struct PictureSource {
    std::string path;
    int orientation;
    PixelSize size; // upright
};

// PNG, JPEG, GIF, BMP or PPM file that was read, and not decoded yet.
class PictureFile {
  public:
    // Throws a PictureError if the file cannot be read, has none of these formats, or has a damaged header.
    explicit PictureFile(PictureSource source);

    // Returns the picture upright, without transparency, and in the source's size. Allocates no more than the header
    // implies. Throws a PictureError.
    Pixels decode() const;

  private:
    PictureSource source_;
    std::vector<uint8_t> bytes_;
    PixelSize stored_;
};
