#pragma once

#include "mtmd.h"
#include "picture-file.h"
#include "sound-file.h"

#include <memory>
#include <string>
#include <variant>
#include <vector>

using MediumSource = std::variant<PictureSource, SoundSource>;

// Decoded picture or sound in the form that the encoder takes.
struct PreparedPicture {
    mtmd::input_chunks_ptr chunks;
    std::string error; // not empty: it cannot be decoded, and there are no chunks

    // Parts in order, each with a place in the prompt.
    std::vector<const mtmd_input_chunk *> parts() const;
};
using SharedPicture = std::shared_ptr<const PreparedPicture>;

struct PictureEmbeddings {
    std::vector<float> embeddings;
    std::vector<llama_pos> positions; // from 0; of all entries in the first dimension, then in the next
};
using EncodedPicture = std::vector<PictureEmbeddings>; // of its parts

// Prepares a picture or a sound. May run beside an encode, since it needs nothing that an encode changes.
SharedPicture preparePicture(const mtmd_context * context, const MediumSource & source);

// Encodes the first pictures: as many as fit one batch, at least one. Throws if the encoder fails.
std::vector<EncodedPicture> encodePictures(mtmd_context * context, size_t embedding_size,
                                           const std::vector<SharedPicture> & pictures);
