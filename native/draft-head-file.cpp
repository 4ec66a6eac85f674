#include "draft-head-file.h"

#include "gguf-header.h"
#include "llama.h"

#include <set>
#include <vector>

namespace {

const std::set<std::string> ARCHITECTURES = {"deepseek2", "qwen35", "qwen35moe"};

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
    const auto architecture = headerText(header.get(), "general.architecture");
    const uint32_t blocks = headerNumber(header.get(), architecture + ".block_count");
    if (ARCHITECTURES.count(architecture) == 0 || blocks < 2) return false;
    if (headerNumber(header.get(), architecture + ".nextn_predict_layers") != 1) return false;

    const std::string tensor = "blk." + std::to_string(blocks - 1) + ".nextn.eh_proj.weight";
    for (const auto & part : partsOf(path, static_cast<int32_t>(headerNumber(header.get(), "split.count")))) {
        const auto other = readHeader(part);
        if (other && gguf_find_tensor(other.get(), tensor.c_str()) >= 0) return true;
    }
    return false;
}
