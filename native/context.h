#pragma once

#include <napi.h>

#include "context-pointer.h"
#include "draft-head.h"
#include "model-loader.h"
#include "sampling-pool.h"
#include "step-times.h"

#include <memory>
#include <optional>
#include <set>

class StepChain;

// KV cache, and the means to fill it. Everything runs on the main thread except the inside of a step.
class Context : public Napi::ObjectWrap<Context> {
  public:
    static Napi::Function define(Napi::Env env);

    explicit Context(const Napi::CallbackInfo & info);
    ~Context() override;

    llama_context * context() const { return context_.get(); }
    SamplingPool & pool() const { return *pool_; }
    // Times of the running or last step.
    StepTimes & times() { return times_; }
    bool isOnCpu() const { return is_on_cpu_; }
    int32_t sequences() const { return sequences_; }
    int32_t batchTokens() const { return batch_tokens_; }
    int32_t maxOutputs() const { return max_outputs_; }
    // nullptr if the model has no draft head.
    DraftHead * draftHead() const { return head_.get(); }
    const BatchCut & cut() const { return cut_; }

    // Ends a running step, on the main thread. A close that waited for the step then proceeds.
    void leaveStep();

  private:
    Napi::Value step(const Napi::CallbackInfo & info);
    Napi::Value nextStep(const Napi::CallbackInfo & info);
    void dropNextStep(const Napi::CallbackInfo & info);
    Napi::Value removeSequence(const Napi::CallbackInfo & info);
    Napi::Value copySequence(const Napi::CallbackInfo & info);
    Napi::Value minPosition(const Napi::CallbackInfo & info);
    Napi::Value maxPosition(const Napi::CallbackInfo & info);
    Napi::Value saveSequence(const Napi::CallbackInfo & info);
    Napi::Value restoreSequence(const Napi::CallbackInfo & info);
    Napi::Value memoryBreakdown(const Napi::CallbackInfo & info);
    Napi::Value close(const Napi::CallbackInfo & info);

    void refuseIfBusy() const;
    llama_memory_t memory() const;
    int32_t sequenceArg(const Napi::Value & value, const char * name) const;
    void makeDraftHead(const Napi::Object & options, const llama_context_params & params);
    void copyToOwnCache(int32_t source, int32_t target, int32_t to);
    void finishCopies();
    void rewriteState(int32_t sequence);
    void release();
    void freeContext();

    SharedModel model_; // outlives the context
    StepTimes times_;   // likewise
    LlamaContextPtr context_;
    std::unique_ptr<DraftHead> head_;
    BatchCut cut_ = {};
    std::set<int32_t> cut_back_; // sequences whose recurrent state is an earlier one until they go on
    std::unique_ptr<SamplingPool> pool_;
    int32_t sequences_ = 0;
    bool is_unified_ = false;
    bool has_copied_ = false; // between caches, perhaps not yet
    bool is_on_cpu_ = false;
    int32_t batch_tokens_ = 0;
    int32_t max_outputs_ = 0;
    int steps_ = 0; // that are not settled
    std::shared_ptr<StepChain> chain_; // of these
    std::optional<Napi::Promise::Deferred> closing_;
};
