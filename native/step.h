#pragma once

#include <napi.h>

#include "context.h"
#include "sampler.h"
#include "scores.h"
#include <memory>
#include <string>
#include <vector>

// Positions of one embedding if positions have several dimensions.
constexpr size_t POSITION_DIMENSIONS = 4;

// Step of a context, off the main thread: decodes a batch, then samples every output and computes the scores.
class Step {
  public:
    // Reads and checks the batch, and holds what the step uses until it is settled. Throws if the batch is invalid.
    static std::unique_ptr<Step> of(Context & context, const Napi::Object & batch, const Napi::Promise::Deferred & deferred);

    // Makes the next step, in which each sequence continues with the token that this step samples. Throws unless this
    // step samples once after one token of each sequence.
    std::unique_ptr<Step> next(const Napi::Promise::Deferred & deferred) const;

    // Decodes and samples, on any thread. A failure rejects the promise.
    void run() noexcept;

    // Runs with the tokens that the step before has sampled. Skips the step if there are none.
    void runBehind(std::vector<llama_token> tokens, const StepTimes & earlier) noexcept;

    // Returns the token of each output after the step; nothing if an answer ends or has more than one token.
    std::vector<llama_token> sampledTokens() const;

    const StepTimes & times() const { return times_; }
    Napi::Env env() const { return context_.Env(); }

    // Decodes nothing.
    void skip() { is_skipped_ = true; }

    // Settles the promise and releases what was held, on the main thread.
    void settle();

  private:
    // Sampler that reads an entry, and the entries after it as long as they hold the tokens that it chooses.
    struct Output {
        int32_t entry;
        int32_t drafts;  // entries behind it that are proposals
        int32_t propose; // tokens that the draft head shall propose behind what is sampled
        Sampler * sampler;
    };

    Step(Context & context, const Napi::Promise::Deferred & deferred) : context_(context), deferred_(deferred) {}
    void readEntries(const Napi::Object & batch);
    void readEmbeddings(const Napi::Object & batch);
    bool hasManyDimensions() const;
    size_t entries() const { return sequences_.size(); }
    void checkPositions() const;
    void readOutputs(const Napi::Object & batch);
    void readScores(const Napi::Object & batch);
    void checkRows() const;
    void checkDrafts(const Output & output) const;
    void checkWish(const Output & output) const;
    void checkContinuable() const;
    void hold(bool is_next);
    void letGo();
    void compute();
    void execute() noexcept;
    Napi::Object result(Napi::Env env, bool is_on_cpu) const;
    int32_t decode(const std::vector<int32_t> & order);
    std::vector<const float *> readRows(const std::vector<int32_t> & places);
    void sample(const std::vector<const float *> & rows);
    void score(const std::vector<const float *> & rows);
    void propose(const std::vector<int32_t> & places);
    std::vector<Sample> takeFrom(const Output & output, const std::vector<const float *> & rows,
                                 RowMemory & memory) const;
    void removeDecoded();

    Context & context_;
    Napi::Promise::Deferred deferred_;
    std::vector<llama_token> tokens_;  // or else embeddings
    std::vector<float> embeddings_;
    std::vector<llama_pos> positions_; // of embeddings: of every entry in the first dimension, then in the next
    std::vector<llama_seq_id> sequences_;
    std::vector<int8_t> wants_output_;
    std::vector<Output> outputs_;
    std::vector<Scores> scores_;
    std::vector<std::vector<Sample>> samples_; // of each output
    std::vector<std::vector<llama_token>> proposals_; // the same
    bool is_followed_ = false; // by the draft head
    bool is_causal_ = true;
    bool cache_full_ = false;
    bool is_skipped_ = false;
    std::string error_; // not empty: the decode failed
    StepTimes times_;
};
