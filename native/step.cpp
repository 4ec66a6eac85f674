#include "step.h"

#include "args.h"

#include "llama-ext.h"

#include <algorithm>
#include <map>
#include <set>

// Number of reads of logits from which on other threads help to sample. One thread takes 0.2 ms for them.
static constexpr int64_t SHARED_LOGITS = 1'000'000;

// Limit above the number of tokens that any draft head proposes well.
static constexpr int32_t MAX_PROPOSED = 16;

// Lifts the causal mask for its lifetime, also if a decode fails.
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

std::unique_ptr<Step> Step::of(Context & context, const Napi::Object & batch, const Napi::Promise::Deferred & deferred) {
    auto step = std::unique_ptr<Step>(new Step(context, deferred));
    step->readEntries(batch);
    step->checkPositions();
    step->readOutputs(batch);
    step->readScores(batch);
    step->checkRows();
    step->hold(/* is_next */ false);
    return step;
}

std::unique_ptr<Step> Step::next(const Napi::Promise::Deferred & deferred) const {
    checkContinuable();
    auto step = std::unique_ptr<Step>(new Step(context_, deferred));
    step->sequences_ = sequences_;
    step->positions_ = positions_;
    for (llama_pos & position : step->positions_) position++;
    step->wants_output_ = wants_output_;
    step->outputs_ = outputs_;
    step->samples_.resize(outputs_.size());
    step->hold(/* is_next */ true);
    return step;
}

void Step::checkContinuable() const {
    bool is_continuable = outputs_.size() == entries() && embeddings_.empty() && scores_.empty() && !is_followed_;
    for (size_t i = 0; i < outputs_.size(); i++) {
        is_continuable = is_continuable && outputs_[i].entry == static_cast<int32_t>(i) && outputs_[i].drafts == 0;
    }
    const std::set<llama_seq_id> sequences(sequences_.begin(), sequences_.end());
    if (is_continuable && sequences.size() == entries()) return;
    throwRange(env(), "a step follows one that samples behind one token of each sequence");
}

void Step::readEntries(const Napi::Object & batch) {
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
    // Prevents an abort of llama.cpp: entries in different micro-batches would not see each other.
    if (!is_causal_ && count > llama_n_ubatch(context_.context())) {
        throwRange(batch.Env(), "the batch has " + std::to_string(count) + " entries that see each other, at most " +
                                    std::to_string(llama_n_ubatch(context_.context())) + " fit a micro-batch");
    }
    is_followed_ = !batch.Get("isFollowed").IsUndefined() && field(batch, "isFollowed", boolArg);
    if (is_followed_ && (context_.draftHead() == nullptr || is_embeddings)) {
        throwRange(batch.Env(), "a draft head follows tokens, in a context that has one");
    }
    tokens_.assign(tokens.Data(), tokens.Data() + tokens.ElementLength());
    positions_.assign(positions.Data(), positions.Data() + positions.ElementLength());
    sequences_.assign(sequences.Data(), sequences.Data() + count);
    wants_output_.assign(count, 0);
    if (is_embeddings) readEmbeddings(batch);
}

void Step::readEmbeddings(const Napi::Object & batch) {
    const auto embeddings = field(batch, "embeddings", float32ArrayArg);
    const size_t size = entries() * llama_model_n_embd_inp(llama_get_model(context_.context()));
    if (embeddings.ElementLength() != size) {
        throwRange(env(), "embeddings of " + std::to_string(entries()) + " entries are " + std::to_string(size) +
                              " numbers, not " + std::to_string(embeddings.ElementLength()));
    }
    embeddings_.assign(embeddings.Data(), embeddings.Data() + size);
}

// Returns true if each embedding has four positions: in time, two in the picture and an unused one. Tokens have one
// position.
bool Step::hasManyDimensions() const {
    const auto rope = llama_model_rope_type(llama_get_model(context_.context()));
    return rope == LLAMA_ROPE_TYPE_MROPE || rope == LLAMA_ROPE_TYPE_IMROPE;
}

// Checks positions here, because llama.cpp's refusal does not tell the entry.
void Step::checkPositions() const {
    const llama_context * context = context_.context();
    const llama_model * model = llama_get_model(context);
    const int32_t vocabulary_size = llama_vocab_n_tokens(llama_model_get_vocab(model));
    // With several dimensions, all entries of a picture share one position, even across batches, and a gap follows it.
    const bool gaps = hasManyDimensions();
    const bool shared = gaps && !embeddings_.empty();

    std::map<llama_seq_id, llama_pos> expected;
    for (size_t i = 0; i < entries(); i++) {
        const std::string entry = "entry " + std::to_string(i) + ": ";
        const llama_seq_id sequence = sequences_[i];
        if (embeddings_.empty() && (tokens_[i] < 0 || tokens_[i] >= vocabulary_size)) {
            throwRange(env(), entry + "unknown token " + std::to_string(tokens_[i]));
        }
        if (sequence < 0 || sequence >= context_.sequences()) {
            throwRange(env(), entry + "unknown sequence " + std::to_string(sequence));
        }
        if (expected.find(sequence) == expected.end()) {
            const llama_pos last = llama_memory_seq_pos_max(llama_get_memory(context), sequence);
            expected[sequence] = shared ? std::max(last, 0) : last + 1;
        }
        llama_pos & next = expected[sequence];
        if (positions_[i] < next || (positions_[i] > next && !gaps)) {
            throwRange(env(), entry + "sequence " + std::to_string(sequence) + " goes on at position " +
                                  std::to_string(next) + ", not " + std::to_string(positions_[i]));
        }
        next = positions_[i] + (shared ? 0 : 1);
    }
}

void Step::readOutputs(const Napi::Object & batch) {
    const auto array = field(batch, "outputs", arrayArg);
    for (uint32_t i = 0; i < array.Length(); i++) {
        const auto output = objectArg(array.Get(i), "output");
        const int32_t last = static_cast<int32_t>(entries()) - 1;
        const int32_t entry = field(output, "entry", intArg, 0, last);
        const bool has_drafts = !output.Get("drafts").IsUndefined();
        const int32_t drafts = has_drafts ? field(output, "drafts", intArg, 0, last - entry) : 0;
        const bool has_wish = !output.Get("propose").IsUndefined();
        const int32_t propose = has_wish ? field(output, "propose", intArg, 0, MAX_PROPOSED) : 0;
        outputs_.push_back({entry, drafts, propose, Sampler::from(output.Get("sampler"))});
        if (drafts > 0) checkDrafts(outputs_.back());
        if (propose > 0) checkWish(outputs_.back());
        std::fill_n(wants_output_.begin() + entry, 1 + drafts, 1);
    }
    samples_.resize(outputs_.size());
}

void Step::readScores(const Napi::Object & batch) {
    if (batch.Get("scores").IsUndefined()) return;
    if (!embeddings_.empty()) throwRange(env(), "scores are of tokens, not of embeddings");
    const auto * vocab = llama_model_get_vocab(llama_get_model(context_.context()));
    const auto array = field(batch, "scores", arrayArg);
    for (uint32_t i = 0; i < array.Length(); i++) {
        scores_.push_back(
            Scores::from(objectArg(array.Get(i), "score"), static_cast<int32_t>(entries()), llama_vocab_n_tokens(vocab)));
        std::fill_n(wants_output_.begin() + scores_.back().entry(), scores_.back().rows(), 1);
    }
}

void Step::checkRows() const {
    const auto rows = std::count(wants_output_.begin(), wants_output_.end(), 1);
    if (rows > context_.maxOutputs()) {
        throwRange(env(), "outputs after " + std::to_string(rows) + " entries, at most " +
                              std::to_string(context_.maxOutputs()) + " are allowed");
    }
}

// Refuses more proposals than the memory can remove again. Recurrent memory keeps few states.
void Step::checkDrafts(const Output & output) const {
    const llama_model * model = llama_get_model(context_.context());
    const bool keeps_states = llama_model_is_recurrent(model) || llama_model_is_hybrid(model);
    if (keeps_states && output.drafts > static_cast<int32_t>(llama_n_rs_seq(context_.context()))) {
        throwRange(env(), "so many drafts cannot be removed from recurrent memory");
    }
    if (!embeddings_.empty()) throwRange(env(), "drafts are tokens, not embeddings");
    for (int32_t i = output.entry + 1; i <= output.entry + output.drafts; i++) {
        if (sequences_[i] == sequences_[output.entry] && positions_[i] == positions_[i - 1] + 1) continue;
        throwRange(env(), "entry " + std::to_string(i) + ": a draft does not go on from the entry before it");
    }
}

// Requires that proposals follow a sequence's last token.
void Step::checkWish(const Output & output) const {
    if (!is_followed_) throwRange(env(), "the draft head proposes only where it follows");
    const llama_seq_id sequence = sequences_[output.entry];
    const auto last = std::find(sequences_.rbegin(), sequences_.rend(), sequence).base() - sequences_.begin() - 1;
    const auto wishes = std::count_if(outputs_.begin(), outputs_.end(), [&](const Output & other) {
        return other.propose > 0 && sequences_[other.entry] == sequence;
    });
    if (output.entry + output.drafts != last || wishes > 1) {
        throwRange(env(), "tokens are proposed once, at the end of sequence " + std::to_string(sequence));
    }
}

// Holds everything that the step uses, so that JavaScript neither collects nor changes it before the end.
void Step::hold(bool is_next) {
    for (size_t i = 0; i < outputs_.size(); i++) {
        if (outputs_[i].sampler->enterStep(is_next)) continue;
        while (i-- > 0) outputs_[i].sampler->leaveStep();
        throwRange(env(), "a sampler can serve one output of a step");
    }
    context_.Ref();
}

void Step::letGo() {
    for (const auto & output : outputs_) output.sampler->leaveStep();
    context_.leaveStep();
    context_.Unref();
}

void Step::run() noexcept {
    context_.times().begin();
    execute();
}

void Step::runBehind(std::vector<llama_token> tokens, const StepTimes & earlier) noexcept {
    tokens_ = std::move(tokens);
    is_skipped_ = is_skipped_ || tokens_.empty();
    if (is_skipped_) return;
    context_.times().beginBehind(earlier);
    execute();
}

void Step::execute() noexcept {
    try {
        compute();
        times_ = context_.times();
    } catch (const std::exception & error) {
        error_ = error.what();
    }
}

std::vector<llama_token> Step::sampledTokens() const {
    if (!error_.empty() || cache_full_ || is_skipped_) return {};
    std::vector<llama_token> tokens;
    for (const auto & samples : samples_) {
        if (samples.size() != 1 || samples[0].end != End::none || !samples[0].error.empty()) return {};
        tokens.push_back(samples[0].token);
    }
    return tokens;
}

void Step::compute() {
    // A batch larger than the cache cannot be split by llama.cpp, which aborts.
    cache_full_ = entries() > llama_n_batch(context_.context());
    if (cache_full_) return;
    StepTimes & times = context_.times();
    const BatchCut as_given = {};
    const auto order = decodeOrder(sequences_, is_followed_ ? context_.cut() : as_given);
    try {
        const NonCausal non_causal(context_.context(), !is_causal_);
        const int32_t status = decode(order);
        cache_full_ = status == 1; // found before anything was computed: the cache is as it was
        if (status < 0 || status > 1) {
            throw std::runtime_error("llama.cpp could not decode the batch (status " + std::to_string(status) + ")");
        }
    } catch (...) {
        removeDecoded();
        throw;
    }
    if (cache_full_) return;
    times.note(Moment::decoded);
    llama_synchronize(context_.context());
    times.note(Moment::computed);
    std::vector<int32_t> places(entries());
    for (size_t i = 0; i < entries(); i++) places[order[i]] = static_cast<int32_t>(i);
    const auto rows = readRows(places);
    sample(rows);
    score(rows);
    if (is_followed_) propose(places);
    times.note(Moment::sampled);
}

// Decodes the batch. `order`: computing order of its entries. Returns llama.cpp's status.
int32_t Step::decode(const std::vector<int32_t> & order) {
    std::vector<llama_token> tokens;
    std::vector<llama_pos> positions = positions_;
    std::vector<int32_t> sequence_counts(entries(), 1);
    std::vector<llama_seq_id *> sequence_ids;
    std::vector<int8_t> wants_output;
    for (size_t i = 0; i < entries(); i++) {
        const int32_t entry = order[i];
        if (embeddings_.empty()) {
            tokens.push_back(tokens_[entry]);
            positions[i] = positions_[entry];
        }
        sequence_ids.push_back(&sequences_[entry]);
        wants_output.push_back(wants_output_[entry]);
    }
    llama_batch batch = {};
    batch.n_tokens = static_cast<int32_t>(entries());
    if (embeddings_.empty()) batch.token = tokens.data();
    else batch.embd = embeddings_.data();
    batch.pos = positions.data();
    batch.n_seq_id = sequence_counts.data();
    batch.seq_id = sequence_ids.data();
    batch.logits = wants_output.data();
    if (context_.draftHead() != nullptr) llama_set_embeddings_nextn(context_.context(), is_followed_, /* masked */ false);
    return llama_decode(context_.context(), batch);
}

// Removes micro-batches that a decode left in the cache before it failed.
void Step::removeDecoded() {
    std::map<llama_seq_id, llama_pos> first;
    for (size_t i = 0; i < entries(); i++) first.emplace(sequences_[i], positions_[i]);
    for (const auto & [sequence, position] : first) {
        llama_memory_seq_rm(llama_get_memory(context_.context()), sequence, position, -1);
    }
}

// Returns the logits of the entries that want them. `places`: places of the entries in the batch. Reading a row may
// reorder the others, so all addresses are taken before any thread reads.
std::vector<const float *> Step::readRows(const std::vector<int32_t> & places) {
    std::vector<const float *> rows(entries(), nullptr);
    if (outputs_.empty() && scores_.empty()) return rows;
    for (size_t i = 0; i < entries(); i++) {
        if (!wants_output_[i]) continue;
        rows[i] = llama_get_logits_ith(context_.context(), places[i]);
        if (rows[i] == nullptr) throw std::runtime_error("llama.cpp gave no logits");
    }
    context_.times().note(Moment::copied);
    return rows;
}

void Step::sample(const std::vector<const float *> & rows) {
    if (outputs_.empty()) return;
    const auto * vocab = llama_model_get_vocab(llama_get_model(context_.context()));
    int64_t passes = 0;
    for (const auto & output : outputs_) passes += output.sampler->passes();
    const bool is_shared = outputs_.size() > 1 && passes * llama_vocab_n_tokens(vocab) >= SHARED_LOGITS;
    context_.pool().run(outputs_.size(), is_shared, [&](size_t i, RowMemory & memory) {
        samples_[i] = takeFrom(outputs_[i], rows, memory);
    });
}

void Step::score(const std::vector<const float *> & rows) {
    if (scores_.empty()) return;
    std::vector<std::pair<Scores *, int32_t>> wanted;
    int64_t passes = 0;
    for (auto & scores : scores_) {
        for (int32_t row = 0; row < scores.rows(); row++) wanted.push_back({&scores, row});
        passes += int64_t(scores.rows()) * scores.passes();
    }
    const auto * vocab = llama_model_get_vocab(llama_get_model(context_.context()));
    const bool is_shared = wanted.size() > 1 && passes * llama_vocab_n_tokens(vocab) >= SHARED_LOGITS;
    context_.pool().run(wanted.size(), is_shared, [&](size_t i, RowMemory & memory) {
        const auto [scores, row] = wanted[i];
        scores->compute(row, rows[scores->entry() + row], memory);
    });
}

// A row after a draft counts only if the sampler chose that draft, so that the sampler never sees a row of another
// text.
std::vector<Sample> Step::takeFrom(const Output & output, const std::vector<const float *> & rows,
                                         RowMemory & memory) const {
    std::vector<Sample> samples;
    for (int32_t entry = output.entry; entry <= output.entry + output.drafts; entry++) {
        samples.push_back(output.sampler->take(rows[entry], memory));
        const Sample & sample = samples.back();
        const bool goes_on = sample.end == End::none && sample.error.empty() && entry < output.entry + output.drafts;
        if (!goes_on || sample.token != tokens_[entry + 1]) break;
    }
    return samples;
}

// Proposes tokens by the draft head, which reads the entries that stay in the cache.
void Step::propose(const std::vector<int32_t> & places) {
    std::vector<bool> is_kept(entries(), true);
    std::vector<DraftWish> wishes;
    std::vector<size_t> wishing;
    for (size_t i = 0; i < outputs_.size(); i++) {
        const auto & output = outputs_[i];
        const Sample & last = samples_[i].back();
        for (int32_t draft = samples_[i].size(); draft <= output.drafts; draft++) is_kept[output.entry + draft] = false;
        if (output.propose == 0 || last.end != End::none || !last.error.empty()) continue;
        wishes.push_back({sequences_[output.entry], last.token, output.propose});
        wishing.push_back(i);
    }
    const float * states = llama_get_embeddings_nextn(context_.context());
    const size_t width = llama_model_n_embd_out(llama_get_model(context_.context()));
    if (states == nullptr) throw std::runtime_error("llama.cpp gave no states for the draft head");
    std::vector<DecodedEntry> kept;
    for (size_t i = 0; i < entries(); i++) {
        if (is_kept[i]) kept.push_back({tokens_[i], positions_[i], sequences_[i], states + places[i] * width});
    }
    proposals_.resize(outputs_.size());
    auto drafts = context_.draftHead()->read(kept, wishes);
    for (size_t i = 0; i < wishing.size(); i++) proposals_[wishing[i]] = std::move(drafts[i]);
}

Napi::Object Step::result(Napi::Env env, bool is_on_cpu) const {
    auto result = Napi::Object::New(env);
    result.Set("kind", is_skipped_ ? "skipped" : cache_full_ ? "cache-full" : "ok");
    if (cache_full_ || is_skipped_) return result;
    const auto toObject = [&](const Sample & sample) { return sample.toObject(env); };
    const auto toSamples = [&](const std::vector<Sample> & samples) { return toArray(env, samples, toObject); };
    result.Set("samples", toArray(env, samples_, toSamples));
    const auto toNumber = [&](llama_token token) { return Napi::Number::New(env, token); };
    const auto toTokens = [&](const std::vector<llama_token> & tokens) { return toArray(env, tokens, toNumber); };
    const auto toScores = [&](const Scores & scores) { return scores.toObject(env); };
    if (!scores_.empty()) result.Set("scores", toArray(env, scores_, toScores));
    if (is_followed_) result.Set("proposals", toArray(env, proposals_, toTokens));
    result.Set("times", times_.toObject(env, is_on_cpu));
    return result;
}

void Step::settle() {
    const auto env = this->env();
    const bool is_on_cpu = context_.isOnCpu();
    letGo(); // the context may be gone then
    if (error_.empty()) deferred_.Resolve(result(env, is_on_cpu));
    else deferred_.Reject(Napi::Error::New(env, error_).Value());
}
