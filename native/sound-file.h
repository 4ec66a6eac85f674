#pragma once

#include <string>
#include <vector>

// Recording as JavaScript describes it: a file of 16-bit samples of one channel.
struct SoundSource {
    std::string path;
    size_t samples;
};

// Returns the samples between -1 and 1. Throws a PictureError if the file is shorter.
std::vector<float> readSound(const SoundSource & source);
