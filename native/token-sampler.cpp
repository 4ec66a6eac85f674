#include "token-sampler.h"

#include "logits.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <stdexcept>

namespace {

// Longest text whose tokens a penalty remembers. llama.cpp reads -1 as "disabled", not as "all".
constexpr int32_t PENALTY_WINDOW = 1 << 18;

// Below this a temperature is zero: dividing by less overflows.
constexpr float MIN_TEMPERATURE = 1e-4f;

// llama.cpp's samplers keep at least this many candidates, so that none can empty the list.
constexpr size_t MIN_KEEP = 1;

void add(const LlamaSamplerPtr & chain, llama_sampler * sampler) {
    llama_sampler_chain_add(chain.get(), sampler);
}

} // namespace

TokenSampler::TokenSampler(const llama_vocab * vocab, const SamplerOptions & options)
    : vocab_(vocab), vocab_size_(llama_vocab_n_tokens(vocab)),
      thinking_(vocab, {options.thinkingStartTag, options.thinkingEndTags, options.thinkingBudgetTokens,
                        options.generationPrompt, /* only_at_start */ !options.grammar.empty() && !options.grammarLazy}) {
    buildGrammar(options);
    buildChain(options);
    skipGrammarPrefix(options.grammarPrefix);
}

void TokenSampler::buildChain(const SamplerOptions & options) {
    int32_t suppressed_count = 0;
    const llama_token * suppressed = llama_vocab_get_suppress_tokens(vocab_, &suppressed_count);
    std::vector<llama_logit_bias> bias = options.logitBias;
    for (int32_t i = 0; i < suppressed_count; i++) bias.push_back({suppressed[i], -INFINITY});

    const bool repeats = options.repeatPenalty != 1.0f;
    const bool presence = options.presencePenalty != 0.0f || options.frequencyPenalty != 0.0f;
    const bool most_likely = options.temperature < MIN_TEMPERATURE || options.topP <= 0.0f || options.topK == 1;
    greedy_ = most_likely && bias.empty() && !repeats && !presence;
    // Nothing changes the logits before top-k cuts them.
    if (!most_likely && bias.empty() && !repeats && !presence) shortlist_ = options.topK;
    penalties_ = static_cast<int32_t>(repeats) + static_cast<int32_t>(presence);

    chain_.reset(llama_sampler_chain_init({/* no_perf */ true}));
    if (!bias.empty()) add(chain_, llama_sampler_init_logit_bias(vocab_size_, bias.size(), bias.data()));
    if (repeats) {
        repeat_penalty_ = llama_sampler_init_penalties(vocab_size_, PENALTY_WINDOW, options.repeatPenalty, 0.0f, 0.0f);
        add(chain_, repeat_penalty_);
    }
    if (presence) {
        add(chain_, llama_sampler_init_penalties(vocab_size_, PENALTY_WINDOW, 1.0f, options.frequencyPenalty,
                                                 options.presencePenalty));
    }
    if (most_likely) {
        add(chain_, llama_sampler_init_greedy());
        return;
    }
    if (options.topK > 0) add(chain_, llama_sampler_init_top_k(options.topK));
    if (options.topP < 1.0f) add(chain_, llama_sampler_init_top_p(options.topP, MIN_KEEP));
    if (options.minP > 0.0f) add(chain_, llama_sampler_init_min_p(options.minP, MIN_KEEP));
    add(chain_, llama_sampler_init_temp(options.temperature));
    add(chain_, llama_sampler_init_dist(options.seed));
}

void TokenSampler::buildGrammar(const SamplerOptions & options) {
    if (options.grammar.empty()) return;
    if (options.grammar.rfind("%llguidance", 0) == 0) throw std::runtime_error("llguidance grammars are not supported");
    grammar_ = std::make_unique<Grammar>(vocab_, options.grammar);
    if (options.grammarLazy) trigger_ = std::make_unique<GrammarTrigger>(vocab_, options.grammarTriggers);
}

// The caller may have begun the text that the grammar is about.
void TokenSampler::skipGrammarPrefix(const std::string & prefix) {
    if (prefix.empty() || !grammar_ || trigger_) return;
    if (!advanceGrammar(prefix)) throw std::runtime_error("the grammar does not fit the text it goes on from");
}

// False, and nothing happened: the grammar does not allow this text.
bool TokenSampler::advanceGrammar(const std::string & text) {
    auto advanced = std::make_unique<Grammar>(*grammar_);
    const auto tokens = common_tokenize(vocab_, text, false, true);
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

// A beginning that the grammar does not allow is plain text. Once the grammar applies there are no more think blocks.
void TokenSampler::startGrammar(const std::string & beginning) {
    if (beginning.empty() || !advanceGrammar(beginning)) return;
    trigger_.reset();
    thinking_.retire();
}

// The end of a think block may also begin a call: some models call tools without closing the block.
void TokenSampler::acceptAfterThinking(const std::string & end_tag) {
    if (!grammar_) return;
    if (trigger_) startGrammar(trigger_->accept(end_tag));
    else advanceGrammar(end_tag);
}

llama_token TokenSampler::sample(const float * logits) {
    const llama_token forced = thinking_.forced();
    if (forced != LLAMA_TOKEN_NULL) return forced;
    const llama_token chosen = choose(logits);
    // An answer that must keep to a grammar cannot end with its thinking.
    if (!grammar_ || trigger_ || !thinking_.isThinking() || !llama_vocab_is_eog(vocab_, chosen)) return chosen;
    thinking_.close();
    return thinking_.forced();
}

llama_token TokenSampler::choose(const float * logits) {
    // Most tokens fit the grammar: testing the chosen one is much cheaper than testing the whole vocabulary.
    const llama_token token = greedy_ ? mostLikely(logits, vocab_size_) : sampleFromChain(logits, false);
    if (!grammarActive() || grammar_->allows(token)) return token;
    return sampleFromChain(logits, true);
}

llama_token TokenSampler::sampleFromChain(const float * logits, bool grammar_first) {
    const bool is_short = shortlist_ > 0 && !grammar_first;
    if (is_short) {
        topCandidates(logits, vocab_size_, shortlist_, candidates_);
    } else {
        candidates_.resize(vocab_size_);
        for (llama_token token = 0; token < vocab_size_; token++) candidates_[token] = {token, logits[token], 0.0f};
    }
    llama_token_data_array array = {candidates_.data(), candidates_.size(), -1, is_short};
    if (candidates_.empty()) throw std::runtime_error("every token is banned");
    if (grammar_first) {
        grammar_->apply(array);
        // With no candidate left llama.cpp picks any token, and accepting an end token then aborts the process.
        const bool none = std::all_of(candidates_.begin(), candidates_.end(),
                                      [](const llama_token_data & candidate) { return candidate.logit == -INFINITY; });
        if (none) throw std::runtime_error("the grammar allows no further token");
    }
    llama_sampler_apply(chain_.get(), &array);
    if (array.selected < 0 || static_cast<size_t>(array.selected) >= array.size) {
        throw std::runtime_error("no token could be selected");
    }
    const llama_token_data & chosen = array.data[array.selected];
    if (!(chosen.logit > -INFINITY)) throw std::runtime_error("every token is banned");
    return chosen.id;
}

void TokenSampler::accept(llama_token token) {
    // Asked before the watch sees the token: the tag that ends a think block is no part of the grammar.
    if (grammarActive()) grammar_->accept(token);
    else if (trigger_ && !thinking_.isThinking()) startGrammar(trigger_->accept(token));
    const std::string ended = thinking_.accept(token);
    if (!ended.empty()) acceptAfterThinking(ended);
    if (!greedy_) llama_sampler_accept(chain_.get(), token);
}

std::optional<uint64_t> TokenSampler::grammarPlace() const {
    if (!grammarActive()) return std::nullopt;
    return grammar_->place();
}

int64_t TokenSampler::sizeBytes() const {
    const int64_t candidates = isCostly() ? vocab_size_ * sizeof(llama_token_data) : 0;
    return candidates + penalties_ * PENALTY_WINDOW * sizeof(llama_token);
}

void TokenSampler::acceptPrompt(llama_token token) {
    if (repeat_penalty_ != nullptr) llama_sampler_accept(repeat_penalty_, token);
}
