#include "token-sampler.h"

#include "tokenize.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace {

// Bans the tokens that the model itself suppresses.
AdjustmentOptions withSuppressed(AdjustmentOptions options, const llama_vocab * vocab) {
    int32_t count = 0;
    const llama_token * suppressed = llama_vocab_get_suppress_tokens(vocab, &count);
    for (int32_t i = 0; i < count; i++) options.bias.push_back({suppressed[i], -INFINITY});
    return options;
}

} // namespace

TokenSampler::TokenSampler(const llama_vocab * vocab, const SamplerOptions & options)
    : vocab_(vocab), vocab_size_(llama_vocab_n_tokens(vocab)),
      adjustments_(withSuppressed(options.adjustments, vocab)), chooser_(options.choice),
      thinking_(vocab, {options.thinkingStartTag, options.thinkingEndTags, options.thinkingBudgetTokens,
                        options.generationPrompt, /* only_at_start */ !options.grammar.empty() && !options.grammarLazy}) {
    buildGrammar(options);
    skipGrammarPrefix(options.grammarPrefix);
}

void TokenSampler::buildGrammar(const SamplerOptions & options) {
    if (options.grammar.empty()) return;
    if (options.grammar.rfind("%llguidance", 0) == 0) throw std::runtime_error("llguidance grammars are not supported");
    grammar_ = std::make_unique<Grammar>(vocab_, options.grammar);
    if (options.grammarLazy) trigger_ = std::make_unique<GrammarTrigger>(vocab_, options.grammarTriggers);
}

// Advances the grammar by text that the caller wrote.
void TokenSampler::skipGrammarPrefix(const std::string & prefix) {
    if (prefix.empty() || !grammar_ || trigger_) return;
    if (!advanceGrammar(prefix)) throw std::runtime_error("the grammar does not fit the text it goes on from");
}

// Advances the grammar. Returns false, without a change, if the grammar does not allow this text.
bool TokenSampler::advanceGrammar(const std::string & text) {
    auto advanced = std::make_unique<Grammar>(*grammar_);
    const auto tokens = tokenizeText(vocab_, text, false, true);
    for (size_t i = 0; i < tokens.size(); i++) {
        const std::string piece = common_token_to_piece(vocab_, tokens[i], true);
        const bool added_space = i == 0 && !piece.empty() && std::isspace(static_cast<unsigned char>(piece[0])) &&
                                 !std::isspace(static_cast<unsigned char>(text[0]));
        if (added_space) continue;
        if (!advanced->allows(tokens[i])) return false;
        advanced->accept(tokens[i]);
    }
    grammar_ = std::move(advanced);
    return true;
}

// Starts the grammar with a text. If the grammar does not allow it, it is plain text. A started grammar ends all think
// blocks.
void TokenSampler::startGrammar(const std::string & beginning) {
    if (beginning.empty() || !advanceGrammar(beginning)) return;
    trigger_.reset();
    thinking_.retire();
}

// Reads the end of a think block, which may also begin a call: some models call tools without closing the block.
void TokenSampler::acceptAfterThinking(const std::string & end_tag) {
    if (!grammar_) return;
    if (trigger_) startGrammar(trigger_->accept(end_tag));
    else advanceGrammar(end_tag);
}

llama_token TokenSampler::sample(const float * logits, RowMemory & memory) {
    const llama_token forced = thinking_.forced();
    if (forced != LLAMA_TOKEN_NULL) return forced;
    const llama_token chosen = choose(logits, memory);
    // An answer with a grammar cannot end in its thinking.
    if (!grammar_ || trigger_ || !thinking_.isThinking() || !llama_vocab_is_eog(vocab_, chosen)) return chosen;
    thinking_.close();
    return thinking_.forced();
}

llama_token TokenSampler::choose(const float * logits, RowMemory & memory) {
    const float * row = logits;
    if (!adjustments_.isNone()) {
        memory.logits.assign(logits, logits + vocab_size_);
        adjustments_.apply(memory.logits.data());
        row = memory.logits.data();
    }
    // First tests only the chosen token, since most tokens fit the grammar, and testing the whole vocabulary is much
    // slower.
    const llama_token token = chooser_.choose(LogitRow(row, vocab_size_, memory));
    if (!grammarActive() || grammar_->allows(token)) return token;
    return chooseByGrammar(logits, memory);
}

llama_token TokenSampler::chooseByGrammar(const float * logits, RowMemory & memory) {
    auto & candidates = memory.candidates;
    candidates.resize(vocab_size_);
    for (llama_token token = 0; token < vocab_size_; token++) candidates[token] = {token, logits[token], 0.0f};
    llama_token_data_array array = {candidates.data(), candidates.size(), -1, false};
    grammar_->apply(array);
    const bool none = std::all_of(candidates.begin(), candidates.end(),
                                  [](const llama_token_data & candidate) { return candidate.logit == -INFINITY; });
    if (none) throw std::runtime_error("the grammar allows no further token");
    memory.logits.resize(vocab_size_);
    for (const auto & candidate : candidates) memory.logits[candidate.id] = candidate.logit;
    adjustments_.apply(memory.logits.data());
    return chooser_.choose(LogitRow(memory.logits.data(), vocab_size_, memory));
}

void TokenSampler::accept(llama_token token) {
    // Before the watch sees the token, since the tag that ends a think block is no part of the grammar.
    if (grammarActive()) grammar_->accept(token);
    else if (trigger_ && !thinking_.isThinking()) startGrammar(trigger_->accept(token));
    const std::string ended = thinking_.accept(token);
    if (!ended.empty()) acceptAfterThinking(ended);
    adjustments_.accept(token);
}

std::optional<uint64_t> TokenSampler::grammarPlace() const {
    if (!grammarActive()) return std::nullopt;
    return grammar_->place();
}
