#pragma once

#include "common.h"
#include "grammar.h"
#include "grammar-trigger.h"
#include "llama.h"
#include "logit-adjustments.h"
#include "thinking-watch.h"
#include "token-chooser.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

struct SamplerOptions {
    ChoiceOptions choice;
    AdjustmentOptions adjustments;
    std::vector<std::string> stops;
    int32_t topLogprobs;
    std::vector<std::string> preservedTokens;
    std::string grammar;
    bool grammarLazy;
    std::vector<common_grammar_trigger> grammarTriggers;
    std::string grammarPrefix;
    std::string generationPrompt;
    std::string thinkingStartTag;
    std::vector<std::string> thinkingEndTags;
    int32_t thinkingBudgetTokens; // -1: any number
};

// Chooses tokens from logits. Several samplers may run at once, since each reads only its logits. Every function throws
// std::runtime_error in cases in which llama.cpp would abort.
class TokenSampler {
  public:
    TokenSampler(const llama_vocab * vocab, const SamplerOptions & options);

    llama_token sample(const float * logits, RowMemory & memory);

    // Counts the chosen token for penalties, and advances the grammar.
    void accept(llama_token token);

    // Returns approximately how often sampling reads the vocabulary: once to find the largest logit.
    int32_t passes() const { return (chooser_.isGreedy() && adjustments_.isNone() ? 1 : 4) + (grammar_ ? 20 : 0); }

    // Returns a hash of the answer's place in its grammar; nothing if no grammar applies.
    std::optional<uint64_t> grammarPlace() const;

    // Approximate memory of bias and penalties.
    int64_t sizeBytes() const { return adjustments_.sizeBytes(); }

    // Counts a prompt token for the repeat penalty. The other penalties count only generated text.
    void acceptPrompt(llama_token token) { adjustments_.acceptPrompt(token); }

  private:
    void buildGrammar(const SamplerOptions & options);
    void skipGrammarPrefix(const std::string & prefix);
    void acceptAfterThinking(const std::string & end_tag);
    bool advanceGrammar(const std::string & text);
    void startGrammar(const std::string & beginning);
    bool grammarActive() const { return grammar_ && !trigger_ && !thinking_.isThinking(); }
    llama_token choose(const float * logits, RowMemory & memory);
    llama_token chooseByGrammar(const float * logits, RowMemory & memory);

    const llama_vocab * vocab_;
    const int32_t vocab_size_;
    LogitAdjustments adjustments_;
    TokenChooser chooser_;
    std::unique_ptr<Grammar> grammar_;
    std::unique_ptr<GrammarTrigger> trigger_; // while a lazy grammar waits
    ThinkingWatch thinking_;
};
