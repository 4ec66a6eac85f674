#include "prompt-pieces.h"

#include "error-log.h"
#include "mtmd-internals.h"

#include <algorithm>

namespace {

// Largest ratio of sides. Beyond it some preprocessors make a very long input of a picture, far beyond the reserved
// memory.
constexpr int MAX_PROPORTION = 200;

mtmd::bitmap placeholder(const MediumSize & size, size_t index) {
    mtmd::bitmap bitmap(size.isSound() ? mtmd_bitmap_init_from_audio(size.samples, nullptr)
                                       : mtmd_bitmap_init(size.pixels.width, size.pixels.height, nullptr));
    bitmap.set_id(std::to_string(index).c_str());
    return bitmap;
}

void checkAlone(const mtmd_context * context, PixelSize size, int index) {
    const auto [shorter, longer] = std::minmax(size.width, size.height);
    if (longer / shorter >= MAX_PROPORTION) {
        throw CodedError("PICTURE_REFUSED",
                         "one side of the picture is " + std::to_string(MAX_PROPORTION) + " times the other or more", index);
    }
    std::vector<mtmd::bitmap> one;
    one.push_back(placeholder({size}, 0));
    try {
        splitPrompt(context, mtmd_get_marker(context), /* add_special */ false, one);
    } catch (const CodedError & error) {
        throw CodedError(error.code, error.what(), index);
    }
}

PromptPiece toPiece(const mtmd_input_chunk * chunk, const std::vector<PromptPiece> & before) {
    PromptPiece piece;
    if (mtmd_input_chunk_get_type(chunk) == MTMD_INPUT_CHUNK_TYPE_TEXT) {
        size_t count = 0;
        const llama_token * tokens = mtmd_input_chunk_get_tokens_text(chunk, &count);
        piece.tokens.assign(tokens, tokens + count);
        return piece;
    }
    piece.picture = std::stoi(mtmd_input_chunk_get_id(chunk));
    piece.entries = static_cast<int32_t>(mtmd_input_chunk_get_n_tokens(chunk));
    piece.positions = mtmd_input_chunk_get_n_pos(chunk);
    piece.part = static_cast<int32_t>(std::count_if(before.begin(), before.end(), [&](const PromptPiece & other) {
        return other.tokens.empty() && other.picture == piece.picture;
    }));
    return piece;
}

// Throws for a sound that libmtmd does not cut into parts as short as those that memory is reserved for.
void checkPart(const mtmd_input_chunk * chunk, const PromptPiece & piece, size_t sound_bytes) {
    if (mtmd_input_chunk_get_type(chunk) != MTMD_INPUT_CHUNK_TYPE_AUDIO) return;
    if (mtmd_internals::inputBytes(chunk) <= sound_bytes) return;
    throw CodedError("PICTURE_REFUSED",
                     "it hears at most " + std::to_string(mtmd_internals::SOUND_SECONDS) + " seconds at once", piece.picture);
}

} // namespace

mtmd::input_chunks_ptr splitPrompt(const mtmd_context * context, const std::string & text, bool add_special,
                                   const std::vector<mtmd::bitmap> & pictures) {
    std::vector<const mtmd_bitmap *> bitmaps;
    for (const auto & picture : pictures) bitmaps.push_back(picture.ptr.get());
    const mtmd_input_text input = {text.data(), text.size(), add_special, /* parse_special */ true};
    mtmd::input_chunks_ptr chunks(mtmd_input_chunks_init());
    const ErrorLog log;
    if (mtmd_tokenize(context, chunks.get(), &input, bitmaps.data(), bitmaps.size()) != 0) {
        throw log.error("the model cannot take it", "PICTURE_REFUSED");
    }
    return chunks;
}

std::vector<PromptPiece> promptPieces(const mtmd_context * context, const std::string & prompt,
                                      const std::vector<MediumSize> & sizes, size_t sound_bytes) {
    std::vector<mtmd::bitmap> pictures;
    for (size_t i = 0; i < sizes.size(); i++) {
        if (!sizes[i].isSound()) checkAlone(context, sizes[i].pixels, static_cast<int>(i));
        pictures.push_back(placeholder(sizes[i], i));
    }
    const auto chunks = splitPrompt(context, prompt, /* add_special */ true, pictures);
    std::vector<PromptPiece> pieces;
    for (size_t i = 0; i < mtmd_input_chunks_size(chunks.get()); i++) {
        const auto * chunk = mtmd_input_chunks_get(chunks.get(), i);
        pieces.push_back(toPiece(chunk, pieces));
        checkPart(chunk, pieces.back(), sound_bytes);
    }
    return pieces;
}
