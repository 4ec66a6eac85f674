#pragma once

#include "context-pointer.h"
#include "decode-order.h"
#include "model-loader.h"

#include <map>
#include <vector>

// Entry of a batch that the model has decoded.
struct DecodedEntry {
    llama_token token;
    llama_pos position;
    llama_seq_id sequence;
    const float * state; // the model's, behind this entry
};

// Number of tokens to propose after a sequence's last entry and the token sampled there.
struct DraftWish {
    llama_seq_id sequence;
    llama_token sampled;
    int32_t count;
};

// Draft head of a model (multi-token prediction): a block that guesses the token after next from the next token and the
// model's own state. It has a separate context with what it has read of each sequence. No error here fails a step: a
// head that cannot read a sequence forgets it, and proposes worse tokens when it continues.
class DraftHead {
  public:
    // `params`: those of the model's context. Throws a CodedError if there is not enough memory.
    DraftHead(SharedModel model, llama_context * target, llama_context_params params);

    // Reads entries, consecutive within each sequence, which stay in the cache. Then returns the proposed tokens of each
    // wish, at most as many as it asks for. At most one wish per sequence, and only for sequences with entries.
    std::vector<std::vector<llama_token>> read(const std::vector<DecodedEntry> & entries, const std::vector<DraftWish> & wishes);

    void remove(llama_seq_id sequence, llama_pos from, llama_pos to);
    void copy(llama_seq_id source, llama_seq_id target, llama_pos from, llama_pos to);
    std::vector<uint8_t> save(llama_seq_id sequence);
    // Restores a saved sequence. Forgets the sequence if the state is damaged or does not fit.
    void restore(llama_seq_id sequence, const uint8_t * state, size_t size);

    llama_context * context() const { return context_.get(); }
    void setThreads(int32_t threads) { llama_set_n_threads(context_.get(), threads, threads); }
    void release() { context_.release(); }

  private:
    struct Row {
        llama_token token;
        llama_pos position;
        llama_seq_id sequence;
        std::vector<float> state; // the model's behind the position before, or the head's own guess of it
        bool is_output;
    };

    // State of a sequence between steps.
    struct Place {
        llama_pos next = 0;         // position behind what it has read
        std::vector<float> state;   // the model's behind `next - 1`; empty: unknown
        llama_token ahead = -1;     // a sampled token that it has read at `next`, which the model has not
    };

    std::vector<Row> rowsFor(const std::vector<DecodedEntry> & entries, const std::vector<DraftWish> & wishes);
    void begin(const DecodedEntry & first);
    void dropAhead(llama_seq_id sequence);
    void propose(std::vector<Row> rows, const std::vector<DraftWish> & wishes, std::vector<std::vector<llama_token>> & drafts);
    bool decode(std::vector<Row> & rows);
    llama_token likeliest(const float * logits) const;
    void forget(llama_seq_id sequence);
    llama_memory_t memory() const { return llama_get_memory(context_.get()); }

    SharedModel model_; // outlives the context
    LlamaContextPtr context_;
    BatchCut cut_;
    size_t width_;
    std::map<llama_seq_id, Place> places_;
};
