#pragma once

#include "mtmd.h"
#include "pixels.h"

#include <string>
#include <vector>

// Size of a picture, or length of a sound.
struct MediumSize {
    PixelSize pixels = {0, 0};
    size_t samples = 0; // 0: a picture

    bool isSound() const { return samples > 0; }
};

// Tokens, or part of a picture or a sound.
struct PromptPiece {
    std::vector<llama_token> tokens; // none: a picture's
    int32_t picture = 0;
    int32_t part = 0;
    int32_t entries = 0;
    int32_t positions = 0;
};

// Splits a text with a marker for each picture or sound. Throws a CodedError `PICTURE_REFUSED` if the model cannot take
// one of them.
mtmd::input_chunks_ptr splitPrompt(const mtmd_context * context, const std::string & text, bool add_special,
                                   const std::vector<mtmd::bitmap> & pictures);

// Does the same from sizes alone. Refuses a sound of which one part exceeds `sound_bytes`, the largest part whose encode
// has memory. The error's index names what is refused.
std::vector<PromptPiece> promptPieces(const mtmd_context * context, const std::string & prompt,
                                      const std::vector<MediumSize> & sizes, size_t sound_bytes);
