#include "picture-encoder.h"

#include "error-log.h"
#include "prompt-pieces.h"

#include <malloc.h>

namespace {

using Chunks = mtmd::input_chunks_ptr;
using Parts = std::vector<const mtmd_input_chunk *>;

// Positions of one embedding where positions have several dimensions.
constexpr size_t POSITION_DIMENSIONS = 4;

// Copies the pixels, which are then freed.
mtmd::bitmap toBitmap(const Pixels & pixels) {
    return {static_cast<uint32_t>(pixels.size.width), static_cast<uint32_t>(pixels.size.height), pixels.rgb.data()};
}

mtmd::bitmap placeholder(PixelSize size) {
    return {static_cast<uint32_t>(size.width), static_cast<uint32_t>(size.height), nullptr};
}

Chunks splitPicture(const mtmd_context * context, mtmd::bitmap picture) {
    std::vector<mtmd::bitmap> one;
    one.push_back(std::move(picture));
    return splitPrompt(context, mtmd_get_marker(context), /* add_special */ false, one);
}

Parts partsOf(const Chunks & chunks) {
    Parts parts;
    for (size_t i = 0; chunks && i < mtmd_input_chunks_size(chunks.get()); i++) {
        const auto * chunk = mtmd_input_chunks_get(chunks.get(), i);
        if (mtmd_input_chunk_get_type(chunk) == MTMD_INPUT_CHUNK_TYPE_IMAGE) parts.push_back(chunk);
    }
    return parts;
}

bool addAll(const mtmd::batch_ptr & batch, const Parts & parts) {
    for (const auto * part : parts) {
        if (mtmd_batch_add_chunk(batch.get(), part) != 0) return false;
    }
    return true;
}

struct Prepared {
    Chunks chunks; // none when it cannot be decoded
    std::string error;
};

// Decodes the first pictures, as long as all their parts fit one batch. Nothing is decoded to find that out.
std::vector<Prepared> prepare(mtmd_context * context, const std::vector<PictureSource> & pictures) {
    std::vector<Prepared> prepared;
    std::vector<Chunks> planned;
    const mtmd::batch_ptr batch(mtmd_batch_init(context)); // of what is planned
    bool fits = true;
    for (size_t i = 0; i < pictures.size() && fits; i++) {
        try {
            const PictureFile file(pictures[i]);
            planned.push_back(splitPicture(context, placeholder(pictures[i].size)));
            fits = addAll(batch, partsOf(planned.back()));
            if (!fits && planned.size() > 1) break;
            prepared.push_back({splitPicture(context, toBitmap(file.decode())), ""});
        } catch (const PictureError & error) {
            prepared.push_back({nullptr, error.what()});
        } catch (const CodedError & error) { // the model cannot look at it
            prepared.push_back({nullptr, error.what()});
        }
    }
    return prepared;
}

PictureEmbeddings embeddingsOf(const mtmd_context * context, size_t size, const mtmd::batch_ptr & batch,
                               const mtmd_input_chunk * part) {
    const size_t entries = mtmd_input_chunk_get_n_tokens(part);
    const float * embeddings = mtmd_batch_get_output_embd(batch.get(), part);
    const size_t dimensions = mtmd_decode_use_mrope(context) ? POSITION_DIMENSIONS : 1;
    PictureEmbeddings made;
    made.embeddings.assign(embeddings, embeddings + entries * size);
    made.positions.resize(entries * dimensions);
    for (size_t i = 0; i < entries; i++) {
        const auto place = mtmd_image_tokens_get_decoder_pos(mtmd_input_chunk_get_tokens_image(part), 0, i);
        const uint32_t position[POSITION_DIMENSIONS] = {place.t, place.y, place.x, place.z};
        for (size_t d = 0; d < dimensions; d++) made.positions[d * entries + i] = static_cast<llama_pos>(position[d]);
    }
    return made;
}

// Encodes parts from `first` on, as many as fit one batch.
std::vector<PictureEmbeddings> encodeBatch(mtmd_context * context, size_t size, const Parts & parts, size_t first) {
    const mtmd::batch_ptr batch(mtmd_batch_init(context));
    size_t end = first;
    while (end < parts.size() && mtmd_batch_add_chunk(batch.get(), parts[end]) == 0) end++;
    const ErrorLog log;
    if (end == first || mtmd_batch_encode(batch.get()) != 0) throw log.error("a picture cannot be encoded", nullptr);
    std::vector<PictureEmbeddings> made;
    for (size_t i = first; i < end; i++) made.push_back(embeddingsOf(context, size, batch, parts[i]));
    return made;
}

} // namespace

std::vector<EncodedPicture> encodePictures(mtmd_context * context, size_t embedding_size,
                                           const std::vector<PictureSource> & pictures) {
    const auto prepared = prepare(context, pictures);
    malloc_trim(0); // the pixels are freed, but the C library would keep their memory
    Parts parts;
    for (const auto & picture : prepared) {
        for (const auto * part : partsOf(picture.chunks)) parts.push_back(part);
    }
    std::vector<PictureEmbeddings> made;
    while (made.size() < parts.size()) {
        for (auto & part : encodeBatch(context, embedding_size, parts, made.size())) made.push_back(std::move(part));
    }
    std::vector<EncodedPicture> encoded;
    auto next = made.begin();
    for (const auto & picture : prepared) {
        encoded.push_back({{}, picture.error});
        for (size_t i = 0; i < partsOf(picture.chunks).size(); i++) encoded.back().parts.push_back(std::move(*next++));
    }
    return encoded;
}
