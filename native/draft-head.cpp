#include "draft-head.h"

#include "error-log.h"

#include "llama-ext.h"

#include <algorithm>
#include <cstring>
#include <set>

DraftHead::DraftHead(SharedModel model, llama_context * target, llama_context_params params) : model_(std::move(model)) {
    params.ctx_type = LLAMA_CONTEXT_TYPE_MTP;
    params.ctx_other = target;
    params.n_rs_seq = 0;
    // The batch also holds a sampled token of each sequence.
    params.n_batch += params.n_seq_max;
    params.n_outputs_max = params.n_seq_max;
    const ErrorLog log;
    context_.reset(llama_init_from_model(model_.get(), params));
    if (!context_) throw log.error("the context of the draft head cannot be created");
    width_ = llama_model_n_embd_out(model_.get());
    if (width_ != static_cast<size_t>(llama_model_n_embd_out(llama_get_model(target)))) {
        throw log.error("the draft head belongs to another model");
    }
    llama_set_embeddings_nextn(context_.get(), true, /*masked*/ false);
    cut_ = {!params.kv_unified, true, llama_n_ubatch(context_.get()), 0};
}

std::vector<std::vector<llama_token>> DraftHead::read(const std::vector<DecodedEntry> & entries,
                                                      const std::vector<DraftWish> & wishes) {
    std::vector<std::vector<llama_token>> drafts(wishes.size());
    auto rows = rowsFor(entries, wishes);
    if (decode(rows)) propose(std::move(rows), wishes, drafts);
    else for (const auto & entry : entries) forget(entry.sequence);
    return drafts;
}

// Returns the entries that the head has not read yet. A sequence with a wish also gets the token sampled after its last
// entry.
std::vector<DraftHead::Row> DraftHead::rowsFor(const std::vector<DecodedEntry> & entries, const std::vector<DraftWish> & wishes) {
    std::map<llama_seq_id, std::vector<Row>> rows;
    std::set<llama_seq_id> begun;
    for (const auto & entry : entries) {
        if (begun.insert(entry.sequence).second) begin(entry);
        auto & place = places_[entry.sequence];
        if (place.ahead < 0) rows[entry.sequence].push_back({entry.token, entry.position, entry.sequence, place.state, false});
        place.ahead = -1;
        place.next = entry.position + 1;
        place.state.assign(entry.state, entry.state + width_);
    }
    for (const auto & wish : wishes) {
        auto & place = places_[wish.sequence];
        rows[wish.sequence].push_back({wish.sampled, place.next, wish.sequence, place.state, true});
        place.ahead = wish.sampled;
    }
    std::vector<Row> all;
    for (auto & [sequence, list] : rows) std::move(list.begin(), list.end(), std::back_inserter(all));
    return all;
}

// Forgets the sequence if the entry does not continue it. Drops a token read ahead that is not the entry's.
void DraftHead::begin(const DecodedEntry & first) {
    const Place & place = places_[first.sequence];
    if (place.next != first.position) forget(first.sequence);
    else if (place.ahead != first.token) dropAhead(first.sequence);
}

void DraftHead::dropAhead(llama_seq_id sequence) {
    auto & place = places_[sequence];
    if (place.ahead >= 0) llama_memory_seq_rm(memory(), sequence, place.next, -1);
    place.ahead = -1;
}

// Proposes tokens. `rows` are in decoded order. Each sequence's outputs are consecutive, and the last one is its
// current place.
void DraftHead::propose(std::vector<Row> rows, const std::vector<DraftWish> & wishes,
                        std::vector<std::vector<llama_token>> & drafts) {
    while (true) {
        std::vector<Row> next;
        for (size_t i = 0; i < rows.size(); i++) {
            if (!rows[i].is_output) continue;
            const auto wish = std::find_if(wishes.begin(), wishes.end(),
                                           [&](const DraftWish & each) { return each.sequence == rows[i].sequence; });
            auto & draft = drafts[wish - wishes.begin()];
            const float * logits = llama_get_logits_ith(context_.get(), static_cast<int32_t>(i));
            const float * state = llama_get_embeddings_nextn_ith(context_.get(), static_cast<int32_t>(i));
            if (logits == nullptr || state == nullptr) continue;
            draft.push_back(likeliest(logits));
            if (static_cast<int32_t>(draft.size()) >= wish->count) continue;
            next.push_back({draft.back(), rows[i].position + 1, rows[i].sequence, {state, state + width_}, true});
        }
        if (next.empty() || !decode(next)) break;
        rows = std::move(next);
    }
    // Removes guessed tokens, which are read again once the model has decoded them.
    for (const auto & wish : wishes) llama_memory_seq_rm(memory(), wish.sequence, places_[wish.sequence].next + 1, -1);
}

// Orders the rows by computation and decodes them. Returns false if they do not fit.
bool DraftHead::decode(std::vector<Row> & rows) {
    // Prevents an abort of llama.cpp: with a small cache, batches are limited to its size.
    if (rows.size() > llama_n_batch(context_.get())) return false;
    std::vector<llama_seq_id> sequences;
    for (const auto & row : rows) sequences.push_back(row.sequence);
    std::vector<Row> ordered;
    for (const int32_t i : decodeOrder(sequences, cut_)) ordered.push_back(std::move(rows[i]));
    rows = std::move(ordered);

    std::vector<llama_token> tokens;
    std::vector<float> states(rows.size() * width_, 0);
    std::vector<llama_pos> positions;
    std::vector<int32_t> counts(rows.size(), 1);
    std::vector<llama_seq_id *> ids;
    std::vector<int8_t> outputs;
    for (size_t i = 0; i < rows.size(); i++) {
        tokens.push_back(rows[i].token);
        std::copy(rows[i].state.begin(), rows[i].state.end(), states.begin() + i * width_);
        positions.push_back(rows[i].position);
        ids.push_back(&rows[i].sequence);
        outputs.push_back(rows[i].is_output);
    }
    if (rows.empty()) return true;
    llama_batch batch = {};
    batch.n_tokens = static_cast<int32_t>(rows.size());
    batch.token = tokens.data();
    batch.embd = states.data();
    batch.pos = positions.data();
    batch.n_seq_id = counts.data();
    batch.seq_id = ids.data();
    batch.logits = outputs.data();
    const bool is_decoded = llama_decode(context_.get(), batch) == 0;
    llama_synchronize(context_.get());
    return is_decoded;
}

llama_token DraftHead::likeliest(const float * logits) const {
    const int32_t size = llama_vocab_n_tokens(llama_model_get_vocab(model_.get()));
    return static_cast<llama_token>(std::max_element(logits, logits + size) - logits);
}

void DraftHead::forget(llama_seq_id sequence) {
    llama_memory_seq_rm(memory(), sequence, -1, -1);
    places_.erase(sequence);
}

// A token read ahead stays if the sequence ends just before it: the next entry tells whether it was right.
void DraftHead::remove(llama_seq_id sequence, llama_pos from, llama_pos to) {
    const auto found = places_.find(sequence);
    if (found == places_.end() || from >= found->second.next) return;
    if (from == 0 || (to >= 0 && to < found->second.next)) return forget(sequence);
    llama_memory_seq_rm(memory(), sequence, from, -1);
    found->second = {from, {}, -1};
}

void DraftHead::copy(llama_seq_id source, llama_seq_id target, llama_pos from, llama_pos to) {
    forget(target);
    const auto found = places_.find(source);
    if (found == places_.end() || from > 0) return;
    dropAhead(source);
    llama_memory_seq_cp(memory(), source, target, from, to);
    Place place = found->second;
    if (to >= 0 && to < place.next) place = {to, {}, -1};
    places_[target] = place;
}

// Returns the place and then the cache, as bytes.
std::vector<uint8_t> DraftHead::save(llama_seq_id sequence) {
    const auto found = places_.find(sequence);
    if (found == places_.end()) return {};
    dropAhead(sequence);
    const Place & place = found->second;
    const uint32_t numbers = place.state.size();
    const size_t head = sizeof(llama_pos) + sizeof(uint32_t) + numbers * sizeof(float);
    std::vector<uint8_t> saved(head + llama_state_seq_get_size(context_.get(), sequence));
    std::memcpy(saved.data(), &place.next, sizeof(llama_pos));
    std::memcpy(saved.data() + sizeof(llama_pos), &numbers, sizeof(uint32_t));
    if (numbers > 0) std::memcpy(saved.data() + head - numbers * sizeof(float), place.state.data(), numbers * sizeof(float));
    const size_t written = llama_state_seq_get_data(context_.get(), saved.data() + head, saved.size() - head, sequence);
    saved.resize(written == 0 ? 0 : head + written);
    return saved;
}

void DraftHead::restore(llama_seq_id sequence, const uint8_t * state, size_t size) {
    forget(sequence);
    llama_pos next = 0;
    uint32_t numbers = 0;
    size_t head = sizeof(llama_pos) + sizeof(uint32_t);
    if (size < head) return;
    std::memcpy(&next, state, sizeof(llama_pos));
    std::memcpy(&numbers, state + sizeof(llama_pos), sizeof(uint32_t));
    if ((numbers != 0 && numbers != width_) || size - head < numbers * sizeof(float)) return;
    Place place = {next, std::vector<float>(numbers), -1};
    if (numbers > 0) std::memcpy(place.state.data(), state + head, numbers * sizeof(float));
    head += numbers * sizeof(float);
    if (llama_state_seq_set_data(context_.get(), state + head, size - head, sequence) == 0) return forget(sequence);
    if (llama_memory_seq_pos_max(memory(), sequence) + 1 != next) return forget(sequence);
    places_[sequence] = std::move(place);
}
