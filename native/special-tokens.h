#pragma once

#include "llama.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

// Tokens that llama.cpp finds in a text before it tokenizes the rest, as a tree of their bytes.
class SpecialTokens {
  public:
    // Without `parse_special`, control tokens in texts are ordinary text.
    SpecialTokens(const llama_vocab * vocab, bool parse_special);

    // Returns where to cut a text into pieces of few special tokens.
    std::vector<size_t> cuts(std::string_view text) const;

  private:
    struct Found {
        size_t length = 0;
        llama_token token = LLAMA_TOKEN_NULL;
    };

    void add(std::string_view bytes, llama_token token);
    Found longestAt(std::string_view text, size_t at) const;
    bool isBoundary(std::string_view text, size_t at, const Found & found) const;

    static uint64_t edge(size_t node, char byte) { return node << 8 | static_cast<uint8_t>(byte); }

    const llama_vocab * vocab_;
    bool strips_ = false;
    std::vector<llama_token> nodes_ = {LLAMA_TOKEN_NULL}; // the token that ends at each
    std::unordered_map<uint64_t, size_t> edges_;
};
