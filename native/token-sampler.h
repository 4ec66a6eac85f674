#pragma once

#include "common.h"
#include "grammar.h"
#include "grammar-trigger.h"
#include "llama.h"
#include "thinking-watch.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

struct SamplerOptions {
    uint32_t seed;
    float temperature;
    float topP;
    int32_t topK;
    float minP;
    float presencePenalty;
    float frequencyPenalty;
    float repeatPenalty;
    std::vector<llama_logit_bias> logitBias;
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

struct LlamaSamplerDeleter {
    void operator()(llama_sampler * sampler) const { llama_sampler_free(sampler); }
};
using LlamaSamplerPtr = std::unique_ptr<llama_sampler, LlamaSamplerDeleter>;

// Chooses tokens from logits. Built from llama.cpp's samplers; it reads nothing but the logits it is given, so several may
// run at once. Every function throws std::runtime_error rather than let llama.cpp abort.
class TokenSampler {
  public:
    TokenSampler(const llama_vocab * vocab, const SamplerOptions & options);

    llama_token sample(const float * logits);

    // Shows the chosen token to penalties and grammar.
    void accept(llama_token token);

    // Whether sampling looks at every candidate of the vocabulary rather than at the largest logit alone.
    bool isCostly() const { return (!greedy_ && shortlist_ == 0) || grammar_ != nullptr; }

    // Where in the grammar the answer is; nothing while none applies.
    std::optional<uint64_t> grammarPlace() const;

    // Memory held while answers are sampled, about.
    int64_t sizeBytes() const;

    // Counts a prompt token for the repeat penalty. Presence and frequency penalties concern generated text only.
    void acceptPrompt(llama_token token);

  private:
    void buildChain(const SamplerOptions & options);
    void buildGrammar(const SamplerOptions & options);
    void skipGrammarPrefix(const std::string & prefix);
    void acceptAfterThinking(const std::string & end_tag);
    bool advanceGrammar(const std::string & text);
    void startGrammar(const std::string & beginning);
    bool grammarActive() const { return grammar_ && !trigger_ && !thinking_.isThinking(); }
    llama_token choose(const float * logits);
    llama_token sampleFromChain(const float * logits, bool grammar_first);

    const llama_vocab * vocab_;
    const int32_t vocab_size_;
    bool greedy_ = false;
    int32_t shortlist_ = 0; // when not 0, only so many of the largest logits can be chosen
    int32_t penalties_ = 0; // samplers that remember a window of tokens
    LlamaSamplerPtr chain_;
    llama_sampler * repeat_penalty_ = nullptr; // owned by the chain
    std::unique_ptr<Grammar> grammar_;
    std::unique_ptr<GrammarTrigger> trigger_; // while a lazy grammar waits
    ThinkingWatch thinking_;
    std::vector<llama_token_data> candidates_;
};
