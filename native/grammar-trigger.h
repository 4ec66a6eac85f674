#pragma once

#include "common.h"
#include "llama.h"

#include <regex>
#include <string>
#include <vector>

// Waits for the text from which on a lazy grammar applies. llama.cpp's own waiting searches the whole answer again at every
// token, which costs the square of its length; here it is a window that moves along.
class GrammarTrigger {
  public:
    // Throws std::runtime_error when there is nothing to wait for, or a pattern is not valid.
    GrammarTrigger(const llama_vocab * vocab, const std::vector<common_grammar_trigger> & triggers);

    // Returns what the grammar begins with (the trigger and all behind it) when this text completes one, else an empty
    // string. The same trigger is found once.
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
