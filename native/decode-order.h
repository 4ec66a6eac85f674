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

// Returns the order in which the entries of a batch are computed: element i is the index of the i-th entry. In a batch
// laid out in this order llama.cpp computes entry after entry, so that rows of hidden states, which it does not map
// back, are at their entries' places.
std::vector<int32_t> decodeOrder(const std::vector<llama_seq_id> & sequences, const BatchCut & cut);
