#pragma once

#include "mtmd.h"
#include "pixels.h"

#include <string>
#include <vector>

// Tokens, or part of a picture.
struct PromptPiece {
    std::vector<llama_token> tokens; // none: a picture's
    int32_t picture = 0;
    int32_t part = 0;
    int32_t entries = 0;
    int32_t positions = 0;
};

// Splits a text with a marker for each picture. Throws a CodedError `PICTURE_REFUSED` if the model cannot take one of
// them.
mtmd::input_chunks_ptr splitPrompt(const mtmd_context * context, const std::string & text, bool add_special,
                                   const std::vector<mtmd::bitmap> & pictures);

// Does the same from the sizes of the pictures alone. The error's index names the refused picture.
std::vector<PromptPiece> promptPieces(const mtmd_context * context, const std::string & prompt,
                                      const std::vector<PixelSize> & sizes);
