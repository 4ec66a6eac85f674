#include "grammar.h"

#include "llama-grammar.h"

#include <cmath>
#include <stdexcept>

namespace {

// Most elements of a stack. Each open level adds some, and more of them make each token slower. JSON nested some
// hundred levels deep comes near this limit.
constexpr size_t MAX_STACK = 1000;

uint64_t mix(uint64_t hash, uint64_t value) {
    hash ^= value + 0x9E3779B97F4A7C15ull + (hash << 6) + (hash >> 2);
    return hash * 0xBF58476D1CE4E5B9ull;
}

} // namespace

void LlamaGrammarDeleter::operator()(llama_grammar * grammar) const {
    llama_grammar_free_impl(grammar);
}

Grammar::Grammar(const llama_vocab * vocab, const std::string & text)
    : grammar_(llama_grammar_init_impl(vocab, text.c_str(), "root", false, nullptr, 0, nullptr, 0)) {
    if (!grammar_) throw std::runtime_error("the grammar cannot be parsed");
}

Grammar::Grammar(const Grammar & other) : grammar_(llama_grammar_clone_impl(*other.grammar_)) {}

bool Grammar::allows(llama_token token) const {
    llama_token_data single = {token, 1.0f, 0.0f};
    llama_token_data_array array = {&single, 1, -1, false};
    apply(array);
    return single.logit != -INFINITY;
}

void Grammar::apply(llama_token_data_array & candidates) const {
    llama_grammar_apply_impl(*grammar_, &candidates);
}

void Grammar::accept(llama_token token) {
    llama_grammar_accept_impl(*grammar_, token);
    for (const auto & stack : grammar_->stacks) {
        if (stack.size() > MAX_STACK) throw std::runtime_error("the text is nested too deeply");
    }
}

// Rules never move, so their addresses identify places. Open alternatives have no particular order.
uint64_t Grammar::place() const {
    uint64_t sum = 0;
    for (const auto & stack : grammar_->stacks) {
        uint64_t hash = stack.size();
        for (const auto * element : stack) hash = mix(hash, reinterpret_cast<uintptr_t>(element));
        sum += hash;
    }
    const auto & partial = grammar_->partial_utf8;
    return mix(mix(sum, partial.value), static_cast<uint64_t>(partial.n_remain));
}
