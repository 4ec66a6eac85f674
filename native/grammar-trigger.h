#pragma once

#include "common.h"
#include "llama.h"

#include <regex>
#include <string>
#include <vector>

// Watches for the text from which a lazy grammar applies. Searches a moving window, while llama.cpp searches the whole
// answer at every token, which costs the square of its length.
class GrammarTrigger {
  public:
    // Throws std::runtime_error if there is no trigger, or a pattern is invalid.
    GrammarTrigger(const llama_vocab * vocab, const std::vector<common_grammar_trigger> & triggers);

    // Returns the trigger and all text after it when this text completes one, else an empty string. Finds each trigger
    // once.
    std::string accept(const std::string & text);
    std::string accept(llama_token token);

  private:
    size_t find();

    const llama_vocab * vocab_;
    std::vector<std::string> words_;
    std::vector<std::regex> patterns_;
    std::string window_;
    bool holds_start_ = true; // the window still begins where the answer does
    size_t searched_ = 0;     // words that begin before this have been searched for
};
