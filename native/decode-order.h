#pragma once

#include "llama.h"

#include <vector>

// Rules by which llama.cpp cuts a batch into micro-batches.
struct BatchCut {
    bool is_equal;          // micro-batches hold equally many entries of each sequence
    bool is_sequential;     // and only of sequences with consecutive ids
    uint32_t micro_batch;   // entries of one
    uint32_t whole_tail;    // so many last entries of a sequence stay together; 0: they need not
};

// Returns the order in which a batch's entries are computed: element i is the index of the i-th entry. llama.cpp
// computes a batch in this order entry by entry, so that each row of hidden states, which llama.cpp does not reorder,
// is at its entry's place.
std::vector<int32_t> decodeOrder(const std::vector<llama_seq_id> & sequences, const BatchCut & cut);
