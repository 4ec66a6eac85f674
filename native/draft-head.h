#pragma once

#include "context-pointer.h"
#include "decode-order.h"
#include "model-loader.h"

#include <map>
#include <vector>

// One entry of a batch that the model has decoded, and what it stands for.
struct DecodedEntry {
    llama_token token;
    llama_pos position;
    llama_seq_id sequence;
    const float * state; // the model's, behind this entry
};

// Tokens to be proposed behind the last entry of a sequence and the token that was sampled there.
struct DraftWish {
    llama_seq_id sequence;
    llama_token sampled;
    int32_t count;
};

// A model's draft head (multi-token prediction): a block that guesses the token after next from the next token and the model's own
// state. It has a context of its own, which holds what it has read of each sequence. Nothing here fails a step: a head that could not
// read a sequence knows nothing of it any more, and starts where it reads on. What it proposes is worse then.
class DraftHead {
  public:
    // `params`: those of the model's context. Throws a CodedError when there is no memory for it.
    DraftHead(SharedModel model, llama_context * target, llama_context_params params);

    // Reads entries that follow each other within each sequence, and stay in the cache, then proposes: list i is for wish i, at most so
    // many tokens. At most one wish for a sequence, and only for those that have entries.
    std::vector<std::vector<llama_token>> read(const std::vector<DecodedEntry> & entries, const std::vector<DraftWish> & wishes);

    void remove(llama_seq_id sequence, llama_pos from, llama_pos to);
    void copy(llama_seq_id source, llama_seq_id target, llama_pos from, llama_pos to);
    std::vector<uint8_t> save(llama_seq_id sequence);
    // What is damaged, or finds no room, leaves it without that sequence.
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

    // What it has to remember of a sequence between steps.
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
