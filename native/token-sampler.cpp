#include "token-sampler.h"

#include "reasoning-budget.h"
#include "top-candidates.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <set>
#include <stdexcept>

namespace {

// Longest text whose tokens a penalty remembers. llama.cpp reads -1 as "disabled", not as "all".
constexpr int32_t PENALTY_WINDOW = 1 << 18;

// Below this a temperature is zero: dividing by less overflows.
constexpr float MIN_TEMPERATURE = 1e-4f;

// llama.cpp's samplers keep at least this many candidates, so that none can empty the list.
constexpr size_t MIN_KEEP = 1;

// The first of the largest logits. Lanes that do not depend on each other let the compiler use vector instructions: five
// times faster than comparing one by one, which tells on a vocabulary of 150,000.
llama_token argmax(const float * logits, int32_t size) {
    constexpr int32_t LANES = 16;
    float lanes[LANES];
    std::fill_n(lanes, LANES, -INFINITY);
    const int32_t even = size - size % LANES;
    for (int32_t i = 0; i < even; i += LANES) {
        for (int32_t lane = 0; lane < LANES; lane++) {
            lanes[lane] = logits[i + lane] > lanes[lane] ? logits[i + lane] : lanes[lane];
        }
    }
    float best = *std::max_element(lanes, lanes + LANES);
    for (int32_t i = even; i < size; i++) best = std::max(best, logits[i]);
    const float * found = std::find(logits, logits + size, best);
    return found == logits + size ? 0 : static_cast<llama_token>(found - logits);
}

void add(const LlamaSamplerPtr & chain, llama_sampler * sampler) {
    llama_sampler_chain_add(chain.get(), sampler);
}

} // namespace

TokenSampler::TokenSampler(const llama_vocab * vocab, const SamplerOptions & options)
    : vocab_(vocab), vocab_size_(llama_vocab_n_tokens(vocab)), lazy_(options.grammarLazy) {
    buildGrammar(options);
    buildThinkingWatch(options);
    buildChain(options);
    skipGenerationPrompt(options.generationPrompt);
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

    std::set<llama_token> preserved;
    for (const auto & text : options.preservedTokens) {
        const auto tokens = common_tokenize(vocab_, text, false, true);
        if (tokens.size() == 1) preserved.insert(tokens[0]);
    }
    std::vector<std::string> patterns;
    std::vector<llama_token> tokens;
    for (const auto & trigger : options.grammarTriggers) {
        const bool anchored = trigger.type == COMMON_GRAMMAR_TRIGGER_TYPE_PATTERN_FULL;
        if (trigger.type == COMMON_GRAMMAR_TRIGGER_TYPE_PATTERN) {
            patterns.push_back(trigger.value);
        } else if (anchored) {
            const std::string & text = trigger.value;
            const bool starts = !text.empty() && text.front() == '^';
            const bool ends = !text.empty() && text.back() == '$';
            patterns.push_back((starts ? "" : "^") + text + (ends ? "" : "$"));
        } else {
            // A word that is one special token is matched as that token: its text can not be sampled in pieces.
            const auto pieces = common_tokenize(vocab_, trigger.value, false, true);
            const bool is_token = trigger.type == COMMON_GRAMMAR_TRIGGER_TYPE_TOKEN;
            if (is_token && pieces.size() != 1) throw std::runtime_error("grammar trigger is not one token");
            if (pieces.size() == 1 && (is_token || preserved.count(pieces[0]) > 0)) {
                tokens.push_back(pieces[0]);
            } else {
                patterns.push_back(regex_escape(trigger.value));
            }
        }
    }

    if (options.grammar.rfind("%llguidance", 0) == 0) throw std::runtime_error("llguidance grammars are not supported");
    if (!options.grammarLazy) {
        grammar_.reset(llama_sampler_init_grammar(vocab_, options.grammar.c_str(), "root"));
    } else {
        if (patterns.empty() && tokens.empty()) throw std::runtime_error("a lazy grammar needs a trigger");
        std::vector<const char *> texts;
        for (const auto & pattern : patterns) texts.push_back(pattern.c_str());
        grammar_.reset(llama_sampler_init_grammar_lazy_patterns(vocab_, options.grammar.c_str(), "root", texts.data(),
                                                                texts.size(), tokens.data(), tokens.size()));
    }
    if (!grammar_) throw std::runtime_error("the grammar can not be parsed");
}

// A lazy grammar must not be triggered by what the model merely thinks about. llama.cpp's reasoning budget sampler knows
// when a think block is open; without a limit it only watches.
void TokenSampler::buildThinkingWatch(const SamplerOptions & options) {
    if (!grammar_ || !lazy_ || options.thinkingStartTag.empty() || options.thinkingEndTags.empty()) return;
    std::vector<llama_tokens> ends;
    for (const auto & tag : options.thinkingEndTags) ends.push_back(common_tokenize(vocab_, tag, false, true));
    const llama_tokens start = common_tokenize(vocab_, options.thinkingStartTag, false, true);
    thinking_.reset(common_reasoning_budget_init(vocab_, {start}, ends, ends[0], INT_MAX));
}

// The template may have begun the answer already (`<think>`, `{`): grammar and thinking watch must know.
void TokenSampler::skipGenerationPrompt(const std::string & generation_prompt) {
    if (generation_prompt.empty() || !grammar_) return;
    const auto tokens = common_tokenize(vocab_, generation_prompt, false, true);
    for (size_t i = 0; i < tokens.size(); i++) {
        const std::string piece = common_token_to_piece(vocab_, tokens[i], true);
        const bool added_space = i == 0 && !piece.empty() && std::isspace(static_cast<unsigned char>(piece[0])) &&
                                 !std::isspace(static_cast<unsigned char>(generation_prompt[0]));
        if (added_space) continue;
        if (thinking_) llama_sampler_accept(thinking_.get(), tokens[i]);
        if (!lazy_) {
            if (!grammarAllows(tokens[i])) throw std::runtime_error("the grammar does not fit the generation prompt");
            llama_sampler_accept(grammar_.get(), tokens[i]);
        }
    }
}

bool TokenSampler::grammarActive() const {
    if (!grammar_) return false;
    if (!thinking_) return true;
    const auto state = common_reasoning_budget_get_state(thinking_.get());
    return state == REASONING_BUDGET_IDLE || state == REASONING_BUDGET_DONE;
}

bool TokenSampler::grammarAllows(llama_token token) {
    llama_token_data single = {token, 1.0f, 0.0f};
    llama_token_data_array array = {&single, 1, -1, false};
    llama_sampler_apply(grammar_.get(), &array);
    return single.logit != -INFINITY;
}

llama_token TokenSampler::sample(const float * logits) {
    // Most tokens fit the grammar: testing the chosen one is much cheaper than testing the whole vocabulary.
    const llama_token token = greedy_ ? argmax(logits, vocab_size_) : sampleFromChain(logits, false);
    if (!grammarActive() || grammarAllows(token)) return token;
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
        llama_sampler_apply(grammar_.get(), &array);
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
    // Asked before the thinking watch sees the token: the tag that ends the think block is no part of the grammar.
    const bool accept_grammar = grammarActive();
    if (thinking_) {
        llama_sampler_accept(thinking_.get(), token);
        const bool done = common_reasoning_budget_get_state(thinking_.get()) == REASONING_BUDGET_DONE;
        if (!accept_grammar && done) {
            // The end tag itself may be a trigger.
            const llama_tokens * end = common_reasoning_budget_get_end_match(thinking_.get());
            if (end != nullptr) {
                for (const llama_token end_token : *end) llama_sampler_accept(grammar_.get(), end_token);
            }
        }
    }
    if (accept_grammar) llama_sampler_accept(grammar_.get(), token);
    if (!greedy_) llama_sampler_accept(chain_.get(), token);
}

int64_t TokenSampler::sizeBytes() const {
    const int64_t candidates = isCostly() ? vocab_size_ * sizeof(llama_token_data) : 0;
    return candidates + penalties_ * PENALTY_WINDOW * sizeof(llama_token);
}

void TokenSampler::acceptPrompt(llama_token token) {
    if (repeat_penalty_ != nullptr) llama_sampler_accept(repeat_penalty_, token);
}
