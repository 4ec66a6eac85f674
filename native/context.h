#pragma once

#include <napi.h>

#include "model-loader.h"
#include "sampling-pool.h"

#include <memory>
#include <optional>

struct LlamaContextDeleter {
    void operator()(llama_context * context) const { llama_free(context); }
};
using LlamaContextPtr = std::unique_ptr<llama_context, LlamaContextDeleter>;

// A KV cache with the means to fill it. Everything runs on the main thread but the inside of a step.
class Context : public Napi::ObjectWrap<Context> {
  public:
    static Napi::Function define(Napi::Env env);

    explicit Context(const Napi::CallbackInfo & info);
    ~Context() override;

    llama_context * context() const { return context_.get(); }
    SamplingPool & pool() const { return *pool_; }
    int32_t sequences() const { return sequences_; }
    int32_t batchTokens() const { return batch_tokens_; }
    int32_t maxOutputs() const { return max_outputs_; }

    // The end of a running step, on the main thread: a close that waited for it goes ahead.
    void leaveStep();

  private:
    Napi::Value step(const Napi::CallbackInfo & info);
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
    void separateWindow(int32_t sequence);
    void release();
    void freeContext();

    SharedModel model_; // outlives the context
    LlamaContextPtr context_;
    std::unique_ptr<SamplingPool> pool_;
    int32_t sequences_ = 0;
    bool is_unified_ = false;
    int32_t batch_tokens_ = 0;
    int32_t max_outputs_ = 0;
    bool stepping_ = false;
    std::optional<Napi::Promise::Deferred> closing_;
};
