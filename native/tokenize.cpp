#include "tokenize.h"

#include "special-tokens.h"

#include <climits>
#include <stdexcept>
#include <string_view>

namespace {

// Largest text, in bytes, that is not searched, since it has few special tokens.
constexpr size_t SHORT_TEXT = 16 * 1024;

using Tokens = std::vector<llama_token>;

Tokens tokenizePiece(const llama_vocab * vocab, std::string_view text, bool add_special, bool parse_special) {
    Tokens tokens(text.size() + 8);
    const auto fill = [&] {
        return llama_tokenize(vocab, text.data(), text.size(), tokens.data(), tokens.size(), add_special, parse_special);
    };
    int32_t count = fill();
    if (count < 0 && count != INT_MIN) { // the vocabulary adds spaces
        tokens.resize(-count);
        count = fill();
    }
    if (count < 0) throw std::runtime_error("the text cannot be tokenized");
    tokens.resize(count);
    return tokens;
}

// Returns whether the first of the added tokens precedes the text.
bool addsStart(const llama_vocab * vocab) {
    return llama_vocab_get_add_bos(vocab) || llama_vocab_type(vocab) == LLAMA_VOCAB_TYPE_WPM;
}

} // namespace

Tokens tokenizeText(const llama_vocab * vocab, const std::string & text, bool add_special, bool parse_special) {
    if (text.size() <= SHORT_TEXT) return tokenizePiece(vocab, text, add_special, parse_special);
    const std::string_view whole = text;
    Tokens tokens;
    const auto append = [&](size_t begin, size_t end) {
        const auto piece = tokenizePiece(vocab, whole.substr(begin, end - begin), false, parse_special);
        tokens.insert(tokens.end(), piece.begin(), piece.end());
    };
    const auto ends = add_special ? tokenizePiece(vocab, "", true, parse_special) : Tokens();
    const auto start = ends.begin() + (!ends.empty() && addsStart(vocab) ? 1 : 0);
    tokens.insert(tokens.end(), ends.begin(), start);
    size_t begin = 0;
    for (const size_t cut : SpecialTokens(vocab, parse_special).cuts(whole)) {
        append(begin, cut);
        begin = cut;
    }
    append(begin, whole.size());
    tokens.insert(tokens.end(), start, ends.end());
    return tokens;
}
