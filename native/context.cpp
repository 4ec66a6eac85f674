#include "context.h"

#include "addon-data.h"
#include "args.h"
#include "devices.h"
#include "error-log.h"
#include "model.h"
#include "step-chain.h"

#include "llama-context.h"
#include "llama-ext.h"

#include <algorithm>
#include <climits>
#include <vector>

namespace {

constexpr int32_t MAX_THREADS = 512;

llama_context_params readOptions(const Napi::Object & options) {
    auto params = llama_context_default_params();
    params.n_ctx = field(options, "contextTokens", intArg, 1, INT_MAX / 2);
    params.n_batch = field(options, "batchTokens", intArg, 1, 1 << 20);
    params.n_ubatch = field(options, "microBatchTokens", intArg, 1, 1 << 20);
    params.n_seq_max = field(options, "sequences", intArg, 1, static_cast<int32_t>(llama_max_parallel_sequences()));
    // llama.cpp reserves compute memory for this many rows of logits; its default is a row for every token of a batch.
    // Beside an output of every sequence there is room for scores.
    params.n_outputs_max = std::max<uint32_t>(params.n_seq_max + 16, 32);
    params.n_threads = field(options, "threads", intArg, 1, MAX_THREADS);
    params.n_threads_batch = params.n_threads;
    params.kv_unified = field(options, "kvUnified", boolArg);
    params.type_k = choiceField<ggml_type>(
        options, "kvType", {{"f16", GGML_TYPE_F16}, {"q8_0", GGML_TYPE_Q8_0}, {"q4_0", GGML_TYPE_Q4_0}});
    params.type_v = params.type_k;
    params.flash_attn_type = choiceField<llama_flash_attn_type>(options, "flashAttention",
                                                                {{"auto", LLAMA_FLASH_ATTN_TYPE_AUTO},
                                                                 {"on", LLAMA_FLASH_ATTN_TYPE_ENABLED},
                                                                 {"off", LLAMA_FLASH_ATTN_TYPE_DISABLED}});
    // Earlier states for the removal of drafts, needed only for recurrent memory. llama.cpp aborts unless they fit a
    // micro-batch.
    if (!options.Get("draftHead").IsUndefined()) {
        params.n_rs_seq = std::min<uint32_t>(field(options, "draftTokens", intArg, 1, 16), std::max(params.n_ubatch, 2u) - 2);
    }
    // The cache of a sliding window keeps only the tokens that later ones attend to.
    params.swa_full = false;
    params.no_perf = true;
    return params;
}

// Called by llama.cpp after each node that the CPU has computed. Returns false, since it never aborts.
bool noteNode(void * times) {
    static_cast<StepTimes *>(times)->noteNode();
    return false;
}

} // namespace

Napi::Function Context::define(Napi::Env env) {
    return DefineClass(env, "Context",
                       {InstanceMethod<&Context::step>("step"), InstanceMethod<&Context::nextStep>("nextStep"),
                        InstanceMethod<&Context::dropNextStep>("dropNextStep"),
                        InstanceMethod<&Context::removeSequence>("removeSequence"),
                        InstanceMethod<&Context::copySequence>("copySequence"),
                        InstanceMethod<&Context::minPosition>("minPosition"),
                        InstanceMethod<&Context::maxPosition>("maxPosition"),
                        InstanceMethod<&Context::saveSequence>("saveSequence"),
                        InstanceMethod<&Context::restoreSequence>("restoreSequence"),
                        InstanceMethod<&Context::memoryBreakdown>("memoryBreakdown"),
                        InstanceMethod<&Context::close>("close")});
}

Context::Context(const Napi::CallbackInfo & info) : Napi::ObjectWrap<Context>(info) {
    model_ = Model::from(info[0])->model();
    const auto params = readOptions(objectArg(info[1], "options"));
    const ErrorLog log;
    context_.reset(llama_init_from_model(model_.get(), params));
    if (!context_) throw toError(info.Env(), log.error("the context cannot be created"));
    llama_set_abort_callback(context_.get(), noteNode, &times_);
    is_on_cpu_ = llama_model_n_devices(model_.get()) == 0;
    pool_ = std::make_unique<SamplingPool>(std::min<int>(params.n_threads, 16) - 1);
    sequences_ = params.n_seq_max;
    is_unified_ = params.kv_unified;
    batch_tokens_ = params.n_batch;
    max_outputs_ = params.n_outputs_max;
    makeDraftHead(objectArg(info[1], "options"), params);
    info.This().As<Napi::Object>().Set("contextTokens", llama_n_ctx(context_.get()));
    info.This().As<Napi::Object>().Set("maxOutputs", max_outputs_);
}

void Context::makeDraftHead(const Napi::Object & options, const llama_context_params & params) {
    const auto given = options.Get("draftHead");
    if (given.IsUndefined()) return;
    const auto model = Model::from(given);
    if (!model->hasDraftHead()) throwRange(Env(), "the model has no draft head");
    const bool is_hybrid = llama_model_is_hybrid(model_.get());
    const uint32_t tail = llama_n_rs_seq(context_.get());
    cut_ = {is_hybrid || !params.kv_unified, !params.kv_unified, llama_n_ubatch(context_.get()), tail > 0 ? tail + 1 : 0};
    try {
        head_ = std::make_unique<DraftHead>(model->model(), context_.get(), params);
    } catch (const CodedError & error) {
        throw toError(Env(), error);
    }
}

Context::~Context() {
    freeContext();
}

void Context::freeContext() {
    // Nobody knows which other parts of the libraries are gone already.
    if (AddonData::exiting) {
        if (head_) head_->release();
        context_.release();
    }
    head_.reset();
    context_.reset();
    model_.reset();
}

void Context::refuseIfBusy() const {
    if (closing_ || !context_) throw Napi::Error::New(Env(), "the context is closed");
    if (steps_ > 0) throw Napi::Error::New(Env(), "a step is running");
}

llama_memory_t Context::memory() const {
    refuseIfBusy();
    return llama_get_memory(context_.get());
}

int32_t Context::sequenceArg(const Napi::Value & value, const char * name) const {
    return intArg(value, name, 0, sequences_ - 1);
}

Napi::Value Context::step(const Napi::CallbackInfo & info) {
    const auto deferred = Napi::Promise::Deferred::New(info.Env());
    try {
        refuseIfBusy();
        if (!info[1].IsUndefined()) {
            const int32_t threads = intArg(info[1], "threads", 1, MAX_THREADS);
            llama_set_n_threads(context_.get(), threads, threads);
            if (head_) head_->setThreads(threads);
        }
        chain_ = StepChain::start(Step::of(*this, objectArg(info[0], "batch"), deferred));
        steps_++;
    } catch (const Napi::Error & error) {
        deferred.Reject(error.Value());
    } catch (const std::exception & error) {
        deferred.Reject(Napi::Error::New(info.Env(), error.what()).Value());
    }
    return deferred.Promise();
}

Napi::Value Context::nextStep(const Napi::CallbackInfo & info) {
    if (steps_ == 0) return info.Env().Undefined();
    const auto deferred = Napi::Promise::Deferred::New(info.Env());
    try {
        if (closing_) throw Napi::Error::New(info.Env(), "the context is closed");
        if (!chain_->add(deferred)) return info.Env().Undefined();
        steps_++;
    } catch (const Napi::Error & error) {
        deferred.Reject(error.Value());
    }
    return deferred.Promise();
}

void Context::dropNextStep(const Napi::CallbackInfo &) {
    if (chain_) chain_->drop();
}

void Context::leaveStep() {
    if (--steps_ > 0) return;
    chain_.reset();
    if (closing_) release();
}

Napi::Value Context::removeSequence(const Napi::CallbackInfo & info) {
    const auto memory = this->memory();
    const int32_t sequence = sequenceArg(info[0], "sequence");
    const int32_t from = intArg(info[1], "from", 0, INT_MAX);
    const int32_t to = intArg(info[2], "to", -1, INT_MAX);
    const bool is_removed = llama_memory_seq_rm(memory, sequence, from, to);
    if (is_removed && head_) head_->remove(sequence, from, to);
    if (is_removed && llama_n_rs_seq(context_.get()) > 0) {
        if (llama_memory_seq_pos_max(memory, sequence) >= 0) cut_back_.insert(sequence);
        else cut_back_.erase(sequence);
    }
    return Napi::Boolean::New(info.Env(), is_removed);
}

Napi::Value Context::copySequence(const Napi::CallbackInfo & info) {
    const auto memory = this->memory();
    const int32_t source = sequenceArg(info[0], "source");
    const int32_t target = sequenceArg(info[1], "target");
    const int32_t from = intArg(info[2], "from", 0, INT_MAX);
    const int32_t to = intArg(info[3], "to", -1, INT_MAX);
    if (source == target) throwRange(info.Env(), "source and target must differ");
    if (llama_memory_seq_pos_max(memory, target) >= from) throwRange(info.Env(), "target must be empty there");
    // A copy of recurrent memory lacks the number of the current state.
    if (cut_back_.erase(source) > 0) rewriteState(source);
    if (!is_unified_) {
        copyToOwnCache(source, target, to);
        return info.Env().Undefined();
    }
    llama_memory_seq_cp(memory, source, target, from, to);
    // llama.cpp never reuses a cell that two sequences share, and copies of a long prompt would fill the window's cache.
    // After this the source has separate cells, and the shared ones before its window belong only to the target.
    if (llama_model_n_swa(model_.get()) > 0) rewriteState(source);
    if (head_) head_->copy(source, target, from, to);
    return info.Env().Undefined();
}

void Context::copyToOwnCache(int32_t source, int32_t target, int32_t to) {
    llama_memory_seq_cp(memory(), source, target, 0, -1);
    if (head_) head_->copy(source, target, 0, -1);
    has_copied_ = true;
    if (to < 0) return;
    if (!llama_memory_seq_rm(memory(), target, to, -1)) throwRange(Env(), "this memory can be copied as a whole only");
    if (head_) head_->remove(target, to, -1);
}

// llama.cpp copies between caches only at the next decode. Until then a saved or restored state would be another's.
void Context::finishCopies() {
    if (!has_copied_) return;
    has_copied_ = false;
    context_->memory_update(false);
    if (head_) head_->context()->memory_update(false);
}

// Saves and restores the state, which drops what a sliding window or recurrent memory no longer needs.
void Context::rewriteState(int32_t sequence) {
    const auto flags = LLAMA_STATE_SEQ_FLAGS_PARTIAL_ONLY;
    std::vector<uint8_t> window(llama_state_seq_get_size_ext(context_.get(), sequence, flags));
    const size_t size = llama_state_seq_get_data_ext(context_.get(), window.data(), window.size(), sequence, flags);
    if (size == 0 || llama_state_seq_set_data_ext(context_.get(), window.data(), size, sequence, flags) == 0) {
        throw Napi::Error::New(Env(), "the state of a copied sequence found no room: this is a bug");
    }
}

Napi::Value Context::minPosition(const Napi::CallbackInfo & info) {
    const auto memory = this->memory();
    return Napi::Number::New(info.Env(), llama_memory_seq_pos_min(memory, sequenceArg(info[0], "sequence")));
}

Napi::Value Context::maxPosition(const Napi::CallbackInfo & info) {
    const auto memory = this->memory();
    return Napi::Number::New(info.Env(), llama_memory_seq_pos_max(memory, sequenceArg(info[0], "sequence")));
}

Napi::Value Context::saveSequence(const Napi::CallbackInfo & info) {
    refuseIfBusy();
    finishCopies();
    const int32_t sequence = sequenceArg(info[0], "sequence");
    const auto head = head_ ? head_->save(sequence) : std::vector<uint8_t>();
    const size_t size = llama_state_seq_get_size(context_.get(), sequence);
    auto state = Napi::Uint8Array::New(info.Env(), size + head.size());
    if (llama_state_seq_get_data(context_.get(), state.Data(), size, sequence) != size) {
        throw std::runtime_error("the sequence could not be saved");
    }
    std::copy(head.begin(), head.end(), state.Data() + size);
    return state;
}

Napi::Value Context::restoreSequence(const Napi::CallbackInfo & info) {
    refuseIfBusy();
    finishCopies();
    const int32_t sequence = sequenceArg(info[0], "sequence");
    const auto state = uint8ArrayArg(info[1], "state");
    const size_t read = llama_state_seq_set_data(context_.get(), state.Data(), state.ByteLength(), sequence);
    if (read == 0) llama_memory_seq_rm(llama_get_memory(context_.get()), sequence, -1, -1);
    cut_back_.erase(sequence);
    // The draft head's state follows the model's own.
    if (head_) head_->restore(sequence, state.Data() + read, read == 0 ? 0 : state.ByteLength() - read);
    return Napi::Boolean::New(info.Env(), read != 0);
}

Napi::Value Context::memoryBreakdown(const Napi::CallbackInfo & info) {
    refuseIfBusy();
    return ::memoryBreakdown(info.Env(), context_.get(), head_ ? head_->context() : nullptr);
}

Napi::Value Context::close(const Napi::CallbackInfo & info) {
    if (!closing_) {
        closing_ = Napi::Promise::Deferred::New(info.Env());
        if (chain_) chain_->drop();
        if (steps_ == 0) release();
    }
    return closing_->Promise();
}

void Context::release() {
    freeContext();
    pool_.reset();
    closing_->Resolve(Env().Undefined());
}
