#pragma once

#include <napi.h>

#include "context.h"
#include "sampler.h"

#include <vector>

// Positions of one embedding where positions have several dimensions.
constexpr size_t POSITION_DIMENSIONS = 4;

// One step of a context: decodes a batch, then samples every output, off the main thread.
class StepWorker : public Napi::AsyncWorker {
  public:
    // Checks the batch and queues the step. Throws, with nothing started, when the batch is not valid.
    static void start(Context & context, const Napi::Object & batch, const Napi::Promise::Deferred & deferred);

  protected:
    void Execute() override;
    void OnOK() override;
    void OnError(const Napi::Error & error) override;

  private:
    // A sampler that reads an entry, and those after it for as long as they hold the tokens that it chooses.
    struct Output {
        int32_t entry;
        int32_t drafts;  // entries behind it that are proposals
        int32_t propose; // tokens that the draft head shall propose behind what is sampled
        Sampler * sampler;
    };

    StepWorker(Context & context, const Napi::Promise::Deferred & deferred);
    void readEntries(const Napi::Object & batch);
    void readEmbeddings(const Napi::Object & batch);
    bool hasManyDimensions() const;
    size_t entries() const { return sequences_.size(); }
    void checkPositions() const;
    void readOutputs(const Napi::Object & batch);
    void checkDrafts(const Output & output) const;
    void checkWish(const Output & output) const;
    void hold();
    void letGo();
    int32_t decode(const std::vector<int32_t> & order);
    void sample(const std::vector<int32_t> & places);
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
    std::vector<std::vector<Sample>> samples_; // of each output
    std::vector<std::vector<llama_token>> proposals_; // the same
    bool is_followed_ = false; // by the draft head
    bool is_causal_ = true;
    bool cache_full_ = false;
};
