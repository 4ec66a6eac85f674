#include "grammar-trigger.h"

#include <algorithm>
#include <stdexcept>

namespace {

// Characters that are searched. Patterns match message headers and tags, which are shorter. A pattern for the start of
// an answer applies while the window holds that start.
constexpr size_t WINDOW = 512;

// Returns a pattern that must match the whole text.
std::string anchored(const std::string & pattern) {
    const bool starts = !pattern.empty() && pattern.front() == '^';
    const bool ends = !pattern.empty() && pattern.back() == '$';
    return (starts ? "" : "^") + pattern + (ends ? "" : "$");
}

} // namespace

GrammarTrigger::GrammarTrigger(const llama_vocab * vocab, const std::vector<common_grammar_trigger> & triggers)
    : vocab_(vocab) {
    for (const auto & trigger : triggers) {
        if (trigger.type == COMMON_GRAMMAR_TRIGGER_TYPE_PATTERN) patterns_.emplace_back(trigger.value);
        else if (trigger.type == COMMON_GRAMMAR_TRIGGER_TYPE_PATTERN_FULL) patterns_.emplace_back(anchored(trigger.value));
        else if (!trigger.value.empty()) words_.push_back(trigger.value);
    }
    if (words_.empty() && patterns_.empty()) throw std::runtime_error("a lazy grammar needs a trigger");
}

std::string GrammarTrigger::accept(llama_token token) {
    return accept(common_token_to_piece(vocab_, token, true));
}

std::string GrammarTrigger::accept(const std::string & text) {
    window_ += text;
    const size_t at = find();
    if (at != std::string::npos) {
        const std::string found = window_.substr(at);
        window_.clear();
        holds_start_ = false;
        searched_ = 0;
        return found;
    }
    size_t longest = 1;
    for (const auto & word : words_) longest = std::max(longest, word.size());
    searched_ = window_.size() - std::min(window_.size(), longest - 1);
    const size_t kept = std::max(WINDOW, longest);
    if (window_.size() > 2 * kept) {
        const size_t dropped = window_.size() - kept;
        window_.erase(0, dropped);
        searched_ -= std::min(searched_, dropped);
        holds_start_ = false;
    }
    return "";
}

// Returns the grammar's start in the window.
size_t GrammarTrigger::find() {
    size_t first = std::string::npos;
    for (const auto & word : words_) first = std::min(first, window_.find(word, searched_));
    const auto flags = holds_start_ ? std::regex_constants::match_default : std::regex_constants::match_not_bol;
    for (const auto & pattern : patterns_) {
        std::smatch match;
        if (!std::regex_search(window_, match, pattern, flags)) continue;
        // The grammar starts at the first group that matched, or without groups at the whole match.
        size_t group = 1;
        while (group < match.size() && match.length(group) == 0) group++;
        first = std::min(first, static_cast<size_t>(match.position(group < match.size() ? group : 0)));
    }
    return first;
}
