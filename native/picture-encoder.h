#pragma once

#include "mtmd.h"
#include "picture-file.h"

#include <string>
#include <vector>

struct PictureEmbeddings {
    std::vector<float> embeddings;
    std::vector<llama_pos> positions; // from 0; of all entries in the first dimension, then in the next
};

struct EncodedPicture {
    std::vector<PictureEmbeddings> parts;
    std::string error; // not empty: it cannot be decoded, and there are no parts
};

// The first ones of the pictures: as many as fit one batch, at least one. Throws when the encoder fails.
std::vector<EncodedPicture> encodePictures(mtmd_context * context, size_t embedding_size,
                                           const std::vector<PictureSource> & pictures);
