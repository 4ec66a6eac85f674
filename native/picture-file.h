#pragma once

#include "pixels.h"

#include <stdexcept>
#include <string>
#include <vector>

// The file cannot be made a picture of.
struct PictureError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// A picture as JavaScript names it.
struct PictureSource {
    std::string path;
    int orientation;
    PixelSize size; // upright
};

// A PNG, JPEG, GIF, BMP or PPM file that has been read, but not decoded.
class PictureFile {
  public:
    // Throws a PictureError when the file cannot be read, is none of these formats, or its header is damaged.
    explicit PictureFile(PictureSource source);

    // Upright, without transparency, and of the size that the source says. Throws a PictureError. Allocates no more than the header lets expect.
    Pixels decode() const;

  private:
    PictureSource source_;
    std::vector<uint8_t> bytes_;
    PixelSize stored_;
};
