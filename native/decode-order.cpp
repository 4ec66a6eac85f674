#include "decode-order.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace {

// Entries of one sequence, and how many of them are taken.
struct Line {
    std::vector<int32_t> entries;
    size_t taken = 0;
    size_t left() const { return entries.size() - taken; }
};

using Lines = std::map<llama_seq_id, Line>;

// Returns the sequences that share the next micro-batch.
std::vector<llama_seq_id> choose(const std::vector<llama_seq_id> & sequences, Lines & lines, const BatchCut & cut) {
    std::vector<llama_seq_id> chosen;
    for (const llama_seq_id sequence : sequences) {
        if (lines[sequence].left() == 0) continue;
        if (std::find(chosen.begin(), chosen.end(), sequence) != chosen.end()) continue;
        if (cut.is_sequential && !chosen.empty() && sequence != chosen.back() + 1) continue;
        chosen.push_back(sequence);
        if (chosen.size() > cut.micro_batch) break;
    }
    return chosen;
}

// Returns how many entries each of them has in the micro-batch.
size_t share(const std::vector<llama_seq_id> & chosen, Lines & lines, const BatchCut & cut) {
    size_t least = SIZE_MAX;
    for (const llama_seq_id sequence : chosen) least = std::min(least, lines[sequence].left());
    return std::min(least, std::max<size_t>(cut.micro_batch / chosen.size(), 1));
}

} // namespace

// Follows `llama_batch_allocr::split_equal`.
std::vector<int32_t> decodeOrder(const std::vector<llama_seq_id> & sequences, const BatchCut & cut) {
    std::vector<int32_t> order(sequences.size());
    std::iota(order.begin(), order.end(), 0);
    if (!cut.is_equal) return order;

    Lines lines;
    for (size_t i = 0; i < sequences.size(); i++) lines[sequences[i]].entries.push_back(static_cast<int32_t>(i));
    order.clear();
    while (order.size() < sequences.size()) {
        auto chosen = choose(sequences, lines, cut);
        size_t count = share(chosen, lines, cut);
        // A sequence whose tail would be cut waits, as do all after it. The first sequence takes more or fewer entries
        // to avoid the cut.
        const auto isCut = [&](llama_seq_id sequence) {
            const size_t left = lines[sequence].left() - count;
            return left > 0 && left < cut.whole_tail;
        };
        const auto kept = std::find_if(chosen.begin(), chosen.end(), isCut) - chosen.begin();
        if (kept == 0) {
            const size_t left = lines[chosen[0]].left();
            count = left <= cut.micro_batch ? left : left - cut.whole_tail;
        }
        chosen.resize(std::max<size_t>(kept, 1));
        for (const llama_seq_id sequence : chosen) {
            auto & [entries, taken] = lines[sequence];
            order.insert(order.end(), entries.begin() + taken, entries.begin() + taken + count);
            taken += count;
        }
    }
    return order;
}
