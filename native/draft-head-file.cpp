#include "draft-head-file.h"

#include "gguf.h"
#include "llama.h"

#include <memory>
#include <set>
#include <vector>

namespace {

const std::set<std::string> ARCHITECTURES = {"deepseek2", "qwen35", "qwen35moe"};

using Header = std::unique_ptr<gguf_context, decltype(&gguf_free)>;

Header readHeader(const std::string & path) {
    return {gguf_init_from_file(path.c_str(), {/*.no_alloc =*/true, /*.ctx =*/nullptr}), gguf_free};
}

// 0 where there is no such number.
uint32_t number(const gguf_context * header, const std::string & key) {
    const int64_t id = gguf_find_key(header, key.c_str());
    if (id < 0) return 0;
    switch (gguf_get_kv_type(header, id)) {
        case GGUF_TYPE_UINT32: return gguf_get_val_u32(header, id);
        case GGUF_TYPE_UINT16: return gguf_get_val_u16(header, id);
        default: return 0;
    }
}

std::string text(const gguf_context * header, const char * key) {
    const int64_t id = gguf_find_key(header, key);
    return id >= 0 && gguf_get_kv_type(header, id) == GGUF_TYPE_STRING ? gguf_get_val_str(header, id) : "";
}

std::vector<std::string> partsOf(const std::string & path, int32_t count) {
    if (count < 2) return {path};
    std::vector<char> prefix(path.size() + 1), part(path.size() + 32);
    if (llama_split_prefix(prefix.data(), prefix.size(), path.c_str(), 0, count) <= 0) return {path};
    std::vector<std::string> parts;
    for (int32_t i = 0; i < count; i++) {
        llama_split_path(part.data(), part.size(), prefix.data(), i, count);
        parts.push_back(part.data());
    }
    return parts;
}

} // namespace

bool holdsDraftHead(const std::string & path) {
    const auto header = readHeader(path);
    if (!header) return false;
    const auto architecture = text(header.get(), "general.architecture");
    const uint32_t blocks = number(header.get(), architecture + ".block_count");
    if (ARCHITECTURES.count(architecture) == 0 || blocks < 2) return false;
    if (number(header.get(), architecture + ".nextn_predict_layers") != 1) return false;

    const std::string tensor = "blk." + std::to_string(blocks - 1) + ".nextn.eh_proj.weight";
    for (const auto & part : partsOf(path, static_cast<int32_t>(number(header.get(), "split.count")))) {
        const auto other = readHeader(part);
        if (other && gguf_find_tensor(other.get(), tensor.c_str()) >= 0) return true;
    }
    return false;
}
