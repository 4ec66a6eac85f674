// Prints the likeliest tokens after a prompt with pictures, by llama.cpp's own helper.
//   show-pictures LIBRARIES MODEL PROJECTOR PROMPT PICTURE...
// prints lines of `TOKEN LOGPROB`, the likeliest first. The prompt has a "<__media__>" for each picture.
#include "ggml-backend.h"
#include "llama.h"
#include "mtmd-helper.h"
#include "mtmd.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <vector>

static constexpr int32_t BATCH = 512;
static constexpr size_t SHOWN = 10;

static void quiet(ggml_log_level level, const char * text, void *) {
    if (level == GGML_LOG_LEVEL_ERROR) std::fputs(text, stderr);
}

int main(int count, char ** arguments) {
    if (count < 6) return 2;
    llama_log_set(quiet, nullptr);
    mtmd_helper_log_set(quiet, nullptr);
    ggml_backend_load_all_from_path(arguments[1]);

    auto * model = llama_model_load_from_file(arguments[2], llama_model_default_params());
    if (model == nullptr) return 1;
    auto options = llama_context_default_params();
    options.n_ctx = options.n_batch = options.n_ubatch = BATCH;
    options.n_threads = options.n_threads_batch = 1;
    options.swa_full = false;
    auto * context = llama_init_from_model(model, options);

    auto vision_options = mtmd_context_params_default();
    vision_options.use_gpu = false;
    vision_options.n_threads = 1;
    auto * vision = mtmd_init_from_file(arguments[3], model, vision_options);
    if (context == nullptr || vision == nullptr) return 1;

    std::vector<const mtmd_bitmap *> pictures;
    for (int i = 5; i < count; i++) {
        pictures.push_back(
            mtmd_helper_bitmap_init_from_file(vision, arguments[i], false, mtmd_helper_init_opt_default()).bitmap);
        if (pictures.back() == nullptr) return 1;
    }
    const mtmd_input_text prompt = {arguments[4], std::strlen(arguments[4]), true, true};
    auto * chunks = mtmd_input_chunks_init();
    llama_pos end = 0;
    if (mtmd_tokenize(vision, chunks, &prompt, pictures.data(), pictures.size()) != 0) return 1;
    if (mtmd_helper_eval_chunks(vision, context, chunks, 0, 0, BATCH, true, &end) != 0) return 1;

    const float * logits = llama_get_logits_ith(context, -1);
    const int32_t size = llama_vocab_n_tokens(llama_model_get_vocab(model));
    double sum = 0;
    for (int32_t i = 0; i < size; i++) sum += std::exp(logits[i]);
    std::vector<int32_t> tokens(size);
    std::iota(tokens.begin(), tokens.end(), 0);
    std::sort(tokens.begin(), tokens.end(), [&](int32_t one, int32_t other) { return logits[one] > logits[other]; });
    for (size_t i = 0; i < SHOWN; i++) std::printf("%d %.6f\n", tokens[i], logits[tokens[i]] - std::log(sum));
}
