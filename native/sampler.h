#pragma once

#include <napi.h>

#include "logits.h"
#include "model-loader.h"
#include "text-stream.h"
#include "token-sampler.h"

#include <memory>
#include <set>

enum class End { none, end_of_generation, stop_string };

struct Sample {
    llama_token token = -1;
    std::string text;
    End end = End::none;
    std::string error; // not empty: nothing was sampled and this answer cannot go on
    bool has_logprobs = false;
    Logprobs logprobs = {};

    Napi::Object toObject(Napi::Env env) const;
};

// Sampler of one answer, which chooses the tokens and assembles the text.
class Sampler : public Napi::ObjectWrap<Sampler> {
  public:
    static Napi::Function define(Napi::Env env);
    static Sampler * from(const Napi::Value & value);

    explicit Sampler(const Napi::CallbackInfo & info);
    ~Sampler() override;

    // Called by a step off the main thread, between enterStep and leaveStep. Never throws.
    Sample take(const float * logits, RowMemory & memory) noexcept;

    // Marks the sampler as held by a step: it stays alive and JavaScript may not use it. Returns false if another step
    // than the one before holds it already.
    bool enterStep(bool is_next);
    void leaveStep();

    // Returns approximately how often `take` reads the vocabulary.
    int32_t passes() const { return tokens_->passes() + (top_logprobs_ >= 0 ? 3 : 0); }

  private:
    Napi::Value acceptPrompt(const Napi::CallbackInfo & info);
    Napi::Value grammarPlace(const Napi::CallbackInfo & info);
    Napi::Value flush(const Napi::CallbackInfo & info);
    void refuseDuringStep() const;
    void reportSize(int64_t bytes);

    SharedModel model_; // keeps the vocabulary alive
    const llama_vocab * vocab_ = nullptr;
    std::unique_ptr<TokenSampler> tokens_;
    std::unique_ptr<TextStream> text_;
    std::set<llama_token> preserved_;
    int32_t top_logprobs_ = -1;
    int64_t reported_bytes_ = 0;
    int steps_ = 0; // that hold it
    bool ended_ = false;
};
