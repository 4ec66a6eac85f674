#include "special-tokens.h"

#include <algorithm>
#include <cctype>

namespace {

// Special tokens after which a text is cut where that changes no token: few enough for llama.cpp's quadratic time.
constexpr size_t PIECE_TOKENS = 1024;
// Special tokens after which it is cut anywhere.
constexpr size_t MOST_PIECE_TOKENS = 16 * PIECE_TOKENS;

constexpr int CONTROL = LLAMA_TOKEN_ATTR_CONTROL | LLAMA_TOKEN_ATTR_UNKNOWN;
constexpr int STRIPS = LLAMA_TOKEN_ATTR_LSTRIP | LLAMA_TOKEN_ATTR_RSTRIP;

bool isSpace(char byte) {
    return std::isspace(static_cast<unsigned char>(byte)) != 0;
}

} // namespace

SpecialTokens::SpecialTokens(const llama_vocab * vocab, bool parse_special) : vocab_(vocab) {
    for (llama_token token = 0; token < llama_vocab_n_tokens(vocab); token++) {
        const int attributes = llama_vocab_get_attr(vocab, token);
        if ((attributes & (CONTROL | LLAMA_TOKEN_ATTR_USER_DEFINED)) == 0) continue;
        if (!parse_special && (attributes & CONTROL) != 0) continue;
        strips_ = strips_ || (attributes & STRIPS) != 0;
        add(llama_vocab_get_text(vocab, token), token);
    }
}

void SpecialTokens::add(std::string_view bytes, llama_token token) {
    size_t node = 0;
    for (const char byte : bytes) {
        const auto [found, is_new] = edges_.try_emplace(edge(node, byte), nodes_.size());
        if (is_new) nodes_.push_back(LLAMA_TOKEN_NULL);
        node = found->second;
    }
    if (node != 0) nodes_[node] = token;
}

SpecialTokens::Found SpecialTokens::longestAt(std::string_view text, size_t at) const {
    Found longest;
    size_t node = 0;
    for (size_t end = at; end < text.size(); end++) {
        const auto found = edges_.find(edge(node, text[end]));
        if (found == edges_.end()) break;
        node = found->second;
        if (nodes_[node] != LLAMA_TOKEN_NULL) longest = {end + 1 - at, nodes_[node]};
    }
    return longest;
}

// Returns whether a token that contains every other that it overlaps is found whole, with all text in front of it. Tokens
// that strip white space around them can take bytes of both.
bool SpecialTokens::isBoundary(std::string_view text, size_t at, const Found & found) const {
    if (!strips_) return true;
    if (isSpace(text[at]) || isSpace(text[at + found.length - 1])) return false;
    return at == 0 || !isSpace(text[at - 1]) || (llama_vocab_get_attr(vocab_, found.token) & LLAMA_TOKEN_ATTR_LSTRIP) == 0;
}

// llama.cpp searches for the longest tokens first, so it always finds one that contains every other that it overlaps. The
// texts on both sides of it are then tokenized apart.
std::vector<size_t> SpecialTokens::cuts(std::string_view text) const {
    std::vector<size_t> cuts;
    size_t count = 0;
    size_t group = 0;     // beginning of the latest tokens that overlap each other
    size_t first_end = 0; // end of the longest token that begins there
    size_t group_end = 0;
    bool can_cut = false;
    for (size_t at = 0; at < text.size(); at++) {
        const auto found = longestAt(text, at);
        if (found.length == 0) continue;
        count++;
        if (at >= group_end) {
            if (can_cut && count > PIECE_TOKENS) {
                cuts.push_back(group);
                count = 1;
            }
            group = at;
            first_end = at + found.length;
            can_cut = isBoundary(text, at, found);
        } else if (at + found.length > first_end) {
            can_cut = false;
        }
        if (count > MOST_PIECE_TOKENS) {
            cuts.push_back(at);
            count = 1;
            can_cut = false;
        }
        group_end = std::max(group_end, at + found.length);
    }
    return cuts;
}
