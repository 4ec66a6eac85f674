#include "picture-encoder.h"

#include "error-log.h"
#include "prompt-pieces.h"
#include "step.h"

#include <algorithm>
#include <iterator>
#include <malloc.h>

namespace {

using Parts = std::vector<const mtmd_input_chunk *>;

// Copies the pixels, which are then freed.
mtmd::bitmap toBitmap(const Pixels & pixels) {
    return {static_cast<uint32_t>(pixels.size.width), static_cast<uint32_t>(pixels.size.height), pixels.rgb.data()};
}

// Copies the samples, which are then freed.
mtmd::bitmap toBitmap(const std::vector<float> & samples) {
    return {mtmd_bitmap_init_from_audio(samples.size(), samples.data())};
}

mtmd::bitmap read(const MediumSource & source) {
    const auto * sound = std::get_if<SoundSource>(&source);
    return sound == nullptr ? toBitmap(PictureFile(std::get<PictureSource>(source)).decode()) : toBitmap(readSound(*sound));
}

mtmd::input_chunks_ptr toInput(const mtmd_context * context, const MediumSource & source) {
    std::vector<mtmd::bitmap> one;
    one.push_back(read(source));
    return splitPrompt(context, mtmd_get_marker(context), /* add_special */ false, one);
}

bool addAll(const mtmd::batch_ptr & batch, const Parts & parts) {
    for (const auto * part : parts) {
        if (mtmd_batch_add_chunk(batch.get(), part) != 0) return false;
    }
    return true;
}

// Returns the number of pictures that fit one batch with all their parts; 1 if not even the first one does.
size_t countTogether(mtmd_context * context, const std::vector<SharedPicture> & pictures) {
    const mtmd::batch_ptr batch(mtmd_batch_init(context));
    size_t count = 0;
    while (count < pictures.size() && addAll(batch, pictures[count]->parts())) count++;
    return std::max<size_t>(1, count);
}

PictureEmbeddings embeddingsOf(const mtmd_context * context, size_t size, const mtmd::batch_ptr & batch,
                               const mtmd_input_chunk * part) {
    const size_t entries = mtmd_input_chunk_get_n_tokens(part);
    const float * embeddings = mtmd_batch_get_output_embd(batch.get(), part);
    const size_t dimensions = mtmd_decode_use_mrope(context) ? POSITION_DIMENSIONS : 1;
    PictureEmbeddings made;
    made.embeddings.assign(embeddings, embeddings + entries * size);
    made.positions.resize(entries * dimensions);
    const auto * image = mtmd_input_chunk_get_tokens_image(part);
    for (size_t i = 0; i < entries; i++) {
        const auto at = static_cast<uint32_t>(i);
        const auto place = image == nullptr ? mtmd_decoder_pos{at, at, at, 0} : mtmd_image_tokens_get_decoder_pos(image, 0, i);
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
    if (end == first || mtmd_batch_encode(batch.get()) != 0) throw log.error("a picture or sound cannot be encoded", nullptr);
    std::vector<PictureEmbeddings> made;
    for (size_t i = first; i < end; i++) made.push_back(embeddingsOf(context, size, batch, parts[i]));
    return made;
}

} // namespace

Parts PreparedPicture::parts() const {
    Parts parts;
    for (size_t i = 0; i < mtmd_input_chunks_size(chunks.get()); i++) {
        const auto * chunk = mtmd_input_chunks_get(chunks.get(), i);
        if (mtmd_input_chunk_get_type(chunk) != MTMD_INPUT_CHUNK_TYPE_TEXT) parts.push_back(chunk);
    }
    return parts;
}

SharedPicture preparePicture(const mtmd_context * context, const MediumSource & source) {
    const auto prepared = std::make_shared<PreparedPicture>();
    try {
        prepared->chunks = toInput(context, source);
    } catch (const PictureError & error) {
        prepared->error = error.what();
    } catch (const CodedError & error) { // the model cannot look at it
        prepared->error = error.what();
    }
    malloc_trim(0); // the pixels are freed, but the C library would keep their memory
    return prepared;
}

std::vector<EncodedPicture> encodePictures(mtmd_context * context, size_t embedding_size,
                                           const std::vector<SharedPicture> & pictures) {
    const size_t together = countTogether(context, pictures);
    Parts parts;
    for (size_t i = 0; i < together; i++) {
        for (const auto * part : pictures[i]->parts()) parts.push_back(part);
    }
    std::vector<PictureEmbeddings> made;
    while (made.size() < parts.size()) {
        for (auto & part : encodeBatch(context, embedding_size, parts, made.size())) made.push_back(std::move(part));
    }
    std::vector<EncodedPicture> encoded(together);
    auto next = made.begin();
    for (size_t i = 0; i < together; i++) {
        const auto end = next + pictures[i]->parts().size();
        encoded[i].assign(std::make_move_iterator(next), std::make_move_iterator(end));
        next = end;
    }
    return encoded;
}
