#include "skip-vocabulary.h"

#include "gguf-header.h"

#include <cstdio>

namespace {

llama_model_kv_override overrideOf(llama_model_kv_override_type type, const std::string & key) {
    llama_model_kv_override result = {};
    result.tag = type;
    std::snprintf(result.key, sizeof(result.key), "%s", key.c_str());
    return result;
}

} // namespace

std::vector<llama_model_kv_override> skipVocabulary(const std::string & path) {
    const auto header = readHeader(path);
    if (!header) return {};
    const uint64_t tokens = headerListSize(header.get(), "tokenizer.ggml.tokens");
    if (tokens == 0) return {};
    auto kind = overrideOf(LLAMA_KV_OVERRIDE_TYPE_STR, "tokenizer.ggml.model");
    std::snprintf(kind.val_str, sizeof(kind.val_str), "none");
    auto size = overrideOf(LLAMA_KV_OVERRIDE_TYPE_INT, headerText(header.get(), "general.architecture") + ".vocab_size");
    size.val_i64 = static_cast<int64_t>(tokens);
    return {kind, size, {}};
}
