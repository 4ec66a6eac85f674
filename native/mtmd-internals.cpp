#include "tokenize.h"

#include <algorithm>

// Stands in for `llama_tokenize` in libmtmd, with the same contract.
static int32_t tokenizeForMtmd(const llama_vocab * vocab, const char * text, int32_t length, llama_token * tokens,
                               int32_t most, bool add_special, bool parse_special) {
    const auto made = tokenizeText(vocab, std::string(text, length), add_special, parse_special);
    const auto count = static_cast<int32_t>(made.size());
    if (count > most) return -count;
    std::copy(made.begin(), made.end(), tokens);
    return count;
}

// The structures that are read here are defined in libmtmd's own sources, so these are compiled as a part of this file.
#include "clip.cpp"
#define llama_tokenize tokenizeForMtmd
#include "mtmd.cpp"
#undef llama_tokenize

#include "mtmd-internals.h"

namespace mtmd_internals {

namespace {

// Size above that which any model takes, for which a preprocessor makes its largest input.
constexpr clip_image_size LARGE_PICTURE = {8192, 8192};

constexpr int SOUND_RATE_HZ = 16000;

constexpr size_t SHORT_SOUND_SAMPLES = SOUND_RATE_HZ / 10;

// Returns the largest input. Its pixels are a placeholder, since only sizes are computed from it.
clip_image_f32 largestInput(const mtmd_context & context) {
    clip_image_u8 picture;
    picture.set_size(LARGE_PICTURE, /* is_placeholder */ true);
    auto made = context.image_preproc->preprocess(picture);
    if (made.has_overview()) made.entries.push_back(std::move(made.overview));
    if (made.entries.empty()) throw std::runtime_error("the projector's preprocessor makes nothing of a picture");
    const auto pixels = [](const clip_image_f32 & input) { return static_cast<size_t>(input.nx()) * input.ny(); };
    return *std::max_element(made.entries.begin(), made.entries.end(),
                             [&](const auto & one, const auto & other) { return pixels(one) < pixels(other); });
}

// Returns the largest input of a sound of so many samples.
clip_image_f32 largestSoundInput(const mtmd_context & context, size_t samples) {
    const std::vector<float> silence(samples);
    std::vector<mtmd_audio_mel> made;
    if (!context.audio_preproc->preprocess(silence.data(), silence.size(), made) || made.empty()) {
        throw std::runtime_error("the projector's preprocessor makes nothing of a sound");
    }
    const auto & longest = *std::max_element(made.begin(), made.end(),
                                             [](const auto & one, const auto & other) { return one.n_len < other.n_len; });
    clip_image_f32 input;
    input.set_size({static_cast<int>(longest.n_len), static_cast<int>(longest.n_mel)}, /* is_placeholder */ true,
                   /* is_audio */ true);
    return input;
}

// Returns false if there is not enough memory.
bool allocate(clip_ctx & part, const clip_image_f32_batch & batch) {
    clip_model_loader::warmup(part, batch);
    return ggml_backend_sched_get_buffer_size(part.sched.get(), part.backend) > 0;
}

clip_image_f32_batch soundBatch(const mtmd_context & context, size_t samples) {
    clip_image_f32_batch batch;
    batch.is_audio = true;
    batch.entries.push_back(largestSoundInput(context, samples));
    return batch;
}

// Throws if libmtmd counts other entries of a sound than it computes: it would abort after each encode.
void checkEntries(clip_ctx & part, const clip_image_f32_batch & batch) {
    const auto builder = clip_get_graph_builder(&part, batch);
    const auto computed = ggml_graph_node(builder->build(), -1)->ne[1];
    const auto counted = clip_n_output_tokens(&part, &batch.entries[0]);
    if (computed == counted) return;
    throw std::runtime_error("llama.cpp counts " + std::to_string(counted) + " entries of a sound, and computes " +
                             std::to_string(computed));
}

// Returns the bytes of the input; 0 if there is not enough memory. Throws as `checkEntries` does.
size_t reserveSound(const mtmd_context & context) {
    const auto longest = soundBatch(context, static_cast<size_t>(SOUND_SECONDS) * SOUND_RATE_HZ);
    if (!allocate(*context.ctx_a, longest)) return 0;
    checkEntries(*context.ctx_a, longest);
    checkEntries(*context.ctx_a, soundBatch(context, SHORT_SOUND_SAMPLES));
    return longest.entries[0].n_elements() * sizeof(float);
}

std::vector<clip_ctx *> parts(const mtmd_context & context) {
    std::vector<clip_ctx *> found;
    for (clip_ctx * part : {context.ctx_v, context.ctx_a, context.ctx_gen_a}) {
        if (part != nullptr) found.push_back(part);
    }
    return found;
}

} // namespace

std::string projectorType(const mtmd_context * context) {
    const auto found = PROJECTOR_TYPE_NAMES.find(context->proj_type_v());
    return found == PROJECTOR_TYPE_NAMES.end() ? "" : found->second;
}

bool hears(const mtmd_context * context) {
    return mtmd_get_audio_sample_rate(context) == SOUND_RATE_HZ;
}

void setThreads(mtmd_context * context, int threads) {
    context->n_threads = threads;
}

mtmd_context * loadHeader(const char * path, const mtmd_context_params & params) {
    return new mtmd_context(path, nullptr, params, /* no_alloc */ true);
}

std::optional<size_t> reserve(mtmd_context * context) {
    const size_t sound = hears(context) ? reserveSound(*context) : 0;
    if (hears(context) && sound == 0) return std::nullopt;
    clip_ctx * vision = context->ctx_v;
    if (vision == nullptr) return sound;
    clip_image_f32_batch batch;
    batch.entries.push_back(largestInput(*context));
    const int tokens = clip_n_output_tokens(vision, &batch.entries[0]);
    const int together = vision->support_batch ? std::max(1, context->batch_max_tokens / std::max(1, tokens)) : 1;
    while (static_cast<int>(batch.entries.size()) < together) batch.entries.push_back(batch.entries[0]);
    return allocate(*vision, batch) ? std::optional(sound) : std::nullopt;
}

size_t inputBytes(const mtmd_input_chunk * part) {
    size_t bytes = 0;
    const auto & batch = part->tokens_image ? part->tokens_image->batch_f32 : part->tokens_audio->batch_f32;
    for (const auto & input : batch.entries) bytes += input.n_elements() * sizeof(float);
    return bytes;
}

std::vector<DeviceBytes> memory(const mtmd_context * context) {
    std::vector<DeviceBytes> held;
    for (clip_ctx * part : parts(*context)) {
        held.push_back({ggml_backend_get_device(part->backend), ggml_backend_buffer_get_size(part->buf.get()), 0});
        for (ggml_backend_t backend : part->backend_ptrs) {
            const size_t compute = ggml_backend_sched_get_buffer_size(part->sched.get(), backend);
            held.push_back({ggml_backend_get_device(backend), 0, compute});
        }
    }
    return held;
}

} // namespace mtmd_internals
