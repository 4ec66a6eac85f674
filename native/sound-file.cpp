#include "sound-file.h"

#include "picture-file.h"

#include <cstdint>
#include <fstream>

namespace {

constexpr float FULL_SCALE = 32768.0f;

} // namespace

std::vector<float> readSound(const SoundSource & source) {
    std::vector<int16_t> stored(source.samples);
    std::ifstream file(source.path, std::ios::binary);
    const auto bytes = static_cast<std::streamsize>(stored.size() * sizeof(int16_t));
    if (!file.read(reinterpret_cast<char *>(stored.data()), bytes)) throw PictureError("the sound's file cannot be read");
    std::vector<float> samples(stored.begin(), stored.end());
    for (float & sample : samples) sample /= FULL_SCALE;
    return samples;
}
