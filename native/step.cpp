#include "step.h"

#include "args.h"

#include <algorithm>
#include <map>

// From this vocabulary size on, sampling several sequences takes long enough to be worth waking other threads.
static constexpr int32_t PARALLEL_VOCABULARY = 32000;

// Lifts the causal mask while it lives, whatever the outcome.
class NonCausal {
  public:
    NonCausal(llama_context * context, bool is_wanted) : context_(is_wanted ? context : nullptr) { set(false); }
    ~NonCausal() { set(true); }
    NonCausal(const NonCausal &) = delete;

  private:
    void set(bool is_causal) {
        if (context_ != nullptr) llama_set_causal_attn(context_, is_causal);
    }

    llama_context * context_;
};

StepWorker::StepWorker(Context & context, const Napi::Promise::Deferred & deferred)
    : Napi::AsyncWorker(context.Env(), "inferd-step"), context_(context), deferred_(deferred) {}

void StepWorker::start(Context & context, const Napi::Object & batch, const Napi::Promise::Deferred & deferred) {
    auto worker = std::unique_ptr<StepWorker>(new StepWorker(context, deferred));
    worker->readEntries(batch);
    worker->checkPositions();
    worker->readOutputs(batch);
    worker->hold();
    worker.release()->Queue(); // deletes itself when done
}

void StepWorker::readEntries(const Napi::Object & batch) {
    const auto tokens = field(batch, "tokens", int32ArrayArg);
    const auto positions = field(batch, "positions", int32ArrayArg);
    const auto sequences = field(batch, "sequences", int32ArrayArg);
    const size_t count = sequences.ElementLength();
    const bool is_embeddings = !batch.Get("embeddings").IsUndefined();
    const size_t dimensions = is_embeddings && hasManyDimensions() ? POSITION_DIMENSIONS : 1;
    if (count == 0) throwRange(batch.Env(), "the batch is empty");
    if (tokens.ElementLength() != (is_embeddings ? 0 : count)) {
        throwRange(batch.Env(), "a batch holds a token for each sequence entry, or embeddings and no token");
    }
    if (positions.ElementLength() != count * dimensions) {
        throwRange(batch.Env(), "a batch of " + std::to_string(count) + " entries has " +
                                    std::to_string(count * dimensions) + " positions, not " +
                                    std::to_string(positions.ElementLength()));
    }
    if (count > static_cast<size_t>(context_.batchTokens())) {
        throwRange(batch.Env(), "the batch has " + std::to_string(count) + " tokens, at most " +
                                    std::to_string(context_.batchTokens()) + " are allowed");
    }
    is_causal_ = batch.Get("isCausal").IsUndefined() || field(batch, "isCausal", boolArg);
    // llama.cpp aborts: entries of another micro-batch would not be seen.
    if (!is_causal_ && count > llama_n_ubatch(context_.context())) {
        throwRange(batch.Env(), "the batch has " + std::to_string(count) + " entries that see each other, at most " +
                                    std::to_string(llama_n_ubatch(context_.context())) + " fit a micro-batch");
    }
    tokens_.assign(tokens.Data(), tokens.Data() + tokens.ElementLength());
    positions_.assign(positions.Data(), positions.Data() + positions.ElementLength());
    sequences_.assign(sequences.Data(), sequences.Data() + count);
    wants_output_.assign(count, 0);
    if (is_embeddings) readEmbeddings(batch);
}

void StepWorker::readEmbeddings(const Napi::Object & batch) {
    const auto embeddings = field(batch, "embeddings", float32ArrayArg);
    const size_t size = entries() * llama_model_n_embd_inp(llama_get_model(context_.context()));
    if (embeddings.ElementLength() != size) {
        throwRange(Env(), "embeddings of " + std::to_string(entries()) + " entries are " + std::to_string(size) +
                              " numbers, not " + std::to_string(embeddings.ElementLength()));
    }
    embeddings_.assign(embeddings.Data(), embeddings.Data() + size);
}

// Whether embeddings have a position in time, two in the picture and one that is not used. Tokens always have one.
bool StepWorker::hasManyDimensions() const {
    const auto rope = llama_model_rope_type(llama_get_model(context_.context()));
    return rope == LLAMA_ROPE_TYPE_MROPE || rope == LLAMA_ROPE_TYPE_IMROPE;
}

// llama.cpp would refuse these too, but does not say which entry it was.
void StepWorker::checkPositions() const {
    const llama_context * context = context_.context();
    const llama_model * model = llama_get_model(context);
    const int32_t vocabulary_size = llama_vocab_n_tokens(llama_model_get_vocab(model));
    // Where positions have several dimensions the entries of a picture share one position, also with those of it that an earlier
    // batch held, and leave a gap behind it.
    const bool gaps = hasManyDimensions();
    const bool shared = gaps && !embeddings_.empty();

    std::map<llama_seq_id, llama_pos> expected;
    for (size_t i = 0; i < entries(); i++) {
        const std::string entry = "entry " + std::to_string(i) + ": ";
        const llama_seq_id sequence = sequences_[i];
        if (embeddings_.empty() && (tokens_[i] < 0 || tokens_[i] >= vocabulary_size)) {
            throwRange(Env(), entry + "unknown token " + std::to_string(tokens_[i]));
        }
        if (sequence < 0 || sequence >= context_.sequences()) {
            throwRange(Env(), entry + "unknown sequence " + std::to_string(sequence));
        }
        if (expected.find(sequence) == expected.end()) {
            const llama_pos last = llama_memory_seq_pos_max(llama_get_memory(context), sequence);
            expected[sequence] = shared ? std::max(last, 0) : last + 1;
        }
        llama_pos & next = expected[sequence];
        if (positions_[i] < next || (positions_[i] > next && !gaps)) {
            throwRange(Env(), entry + "sequence " + std::to_string(sequence) + " goes on at position " +
                                  std::to_string(next) + ", not " + std::to_string(positions_[i]));
        }
        next = positions_[i] + (shared ? 0 : 1);
    }
}

void StepWorker::readOutputs(const Napi::Object & batch) {
    const auto array = field(batch, "outputs", arrayArg);
    for (uint32_t i = 0; i < array.Length(); i++) {
        const auto output = objectArg(array.Get(i), "output");
        const int32_t last = static_cast<int32_t>(entries()) - 1;
        const int32_t entry = field(output, "entry", intArg, 0, last);
        const bool has_drafts = !output.Get("drafts").IsUndefined();
        const int32_t drafts = has_drafts ? field(output, "drafts", intArg, 0, last - entry) : 0;
        outputs_.push_back({entry, drafts, Sampler::from(output.Get("sampler"))});
        if (drafts > 0) checkDrafts(outputs_.back());
        std::fill_n(wants_output_.begin() + entry, 1 + drafts, 1);
    }
    const auto rows = std::count(wants_output_.begin(), wants_output_.end(), 1);
    if (rows > context_.maxOutputs()) {
        throwRange(Env(), "outputs after " + std::to_string(rows) + " entries, at most " +
                              std::to_string(context_.maxOutputs()) + " are allowed");
    }
    samples_.resize(outputs_.size());
}

// What is proposed and not chosen has to be removed from the sequence, which recurrent memory cannot do.
void StepWorker::checkDrafts(const Output & output) const {
    const llama_model * model = llama_get_model(context_.context());
    if (llama_model_is_recurrent(model) || llama_model_is_hybrid(model)) {
        throwRange(Env(), "drafts cannot be removed from recurrent memory");
    }
    if (!embeddings_.empty()) throwRange(Env(), "drafts are tokens, not embeddings");
    for (int32_t i = output.entry + 1; i <= output.entry + output.drafts; i++) {
        if (sequences_[i] == sequences_[output.entry] && positions_[i] == positions_[i - 1] + 1) continue;
        throwRange(Env(), "entry " + std::to_string(i) + ": a draft does not go on from the entry before it");
    }
}

// Nothing the step uses may be collected or changed by JavaScript before it ends.
void StepWorker::hold() {
    for (size_t i = 0; i < outputs_.size(); i++) {
        if (outputs_[i].sampler->enterStep()) continue;
        while (i-- > 0) outputs_[i].sampler->leaveStep();
        throwRange(Env(), "a sampler can serve one output of a step");
    }
    context_.Ref();
}

void StepWorker::letGo() {
    for (const auto & output : outputs_) output.sampler->leaveStep();
    context_.leaveStep();
    context_.Unref();
}

void StepWorker::Execute() {
    std::vector<int32_t> sequence_counts(entries(), 1);
    std::vector<llama_seq_id *> sequence_ids(entries());
    for (size_t i = 0; i < entries(); i++) sequence_ids[i] = &sequences_[i];
    llama_batch batch = {};
    batch.n_tokens = static_cast<int32_t>(entries());
    if (embeddings_.empty()) batch.token = tokens_.data();
    else batch.embd = embeddings_.data();
    batch.pos = positions_.data();
    batch.n_seq_id = sequence_counts.data();
    batch.seq_id = sequence_ids.data();
    batch.logits = wants_output_.data();

    // A batch larger than the cache cannot be split by llama.cpp, which aborts.
    cache_full_ = entries() > llama_n_batch(context_.context());
    if (cache_full_) return;
    try {
        const NonCausal non_causal(context_.context(), !is_causal_);
        const int32_t status = llama_decode(context_.context(), batch);
        cache_full_ = status == 1; // found before anything was computed: the cache is as it was
        if (status < 0 || status > 1) {
            throw std::runtime_error("llama.cpp could not decode the batch (status " + std::to_string(status) + ")");
        }
    } catch (...) {
        removeDecoded();
        throw;
    }
    if (!cache_full_) sample();
}

// A decode that fails half-way leaves the micro-batches that went well in the cache.
void StepWorker::removeDecoded() {
    std::map<llama_seq_id, llama_pos> first;
    for (size_t i = 0; i < entries(); i++) first.emplace(sequences_[i], positions_[i]);
    for (const auto & [sequence, position] : first) {
        llama_memory_seq_rm(llama_get_memory(context_.context()), sequence, position, -1);
    }
}

void StepWorker::sample() {
    if (outputs_.empty()) return;
    llama_synchronize(context_.context());
    // Reading a row may reorder the others, so all addresses are taken before any thread reads.
    std::vector<const float *> rows(entries(), nullptr);
    for (size_t i = 0; i < entries(); i++) {
        if (!wants_output_[i]) continue;
        rows[i] = llama_get_logits_ith(context_.context(), static_cast<int32_t>(i));
        if (rows[i] == nullptr) throw std::runtime_error("llama.cpp gave no logits");
    }

    const auto take = [&](size_t i) { samples_[i] = takeFrom(outputs_[i], rows); };
    const auto * vocab = llama_model_get_vocab(llama_get_model(context_.context()));
    const auto costly = std::count_if(outputs_.begin(), outputs_.end(),
                                      [](const Output & output) { return output.sampler->isCostly(); });
    if (costly > 1 && llama_vocab_n_tokens(vocab) >= PARALLEL_VOCABULARY) {
        context_.pool().run(outputs_.size(), take);
    } else {
        for (size_t i = 0; i < outputs_.size(); i++) take(i);
    }
}

// A row behind a draft counts only if the draft is what the sampler chose, so that it never sees a row of another text.
std::vector<Sample> StepWorker::takeFrom(const Output & output, const std::vector<const float *> & rows) const {
    std::vector<Sample> samples;
    for (int32_t entry = output.entry; entry <= output.entry + output.drafts; entry++) {
        samples.push_back(output.sampler->take(rows[entry]));
        const Sample & sample = samples.back();
        const bool goes_on = sample.end == End::none && sample.error.empty() && entry < output.entry + output.drafts;
        if (!goes_on || sample.token != tokens_[entry + 1]) break;
    }
    return samples;
}

void StepWorker::OnOK() {
    letGo();
    auto result = Napi::Object::New(Env());
    result.Set("kind", cache_full_ ? "cache-full" : "ok");
    if (!cache_full_) {
        const auto toObject = [&](const Sample & sample) { return sample.toObject(Env()); };
        const auto toSamples = [&](const std::vector<Sample> & samples) { return toArray(Env(), samples, toObject); };
        result.Set("samples", toArray(Env(), samples_, toSamples));
    }
    deferred_.Resolve(result);
}

void StepWorker::OnError(const Napi::Error & error) {
    letGo();
    deferred_.Reject(error.Value());
}
