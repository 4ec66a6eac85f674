#pragma once

#include "llama.h"

#include <string>
#include <vector>

// Tracks whether an answer is inside a think block, and ends the block after its limit of tokens. Searches the text for
// the tags, since a tag may span several tokens and share them with its neighbours.
class ThinkingWatch {
  public:
    struct Options {
        std::string start_tag;
        std::vector<std::string> end_tags; // without tags nothing is ever a block
        int32_t budget;                    // most tokens of one block, -1 for any number
        std::string generation_prompt;     // part of the answer that the prompt holds: it may have opened a block
        bool only_at_start;                // what looks like a start tag later on is text
    };
    ThinkingWatch(const llama_vocab * vocab, Options options);

    // Returns whether the answer is after a start tag and before the end of its end tag.
    bool isThinking() const { return state_ != State::outside; }

    // Returns the token that must come next to end the block; LLAMA_TOKEN_NULL if any may come.
    llama_token forced() const;

    // Returns the end tag if this token completes one, else an empty string.
    std::string accept(llama_token token);

    // Ends the open block now, with the tokens of `forced`.
    void close();

    // Disables further blocks.
    void retire() { retired_ = true; }

  private:
    enum class State { outside, inside, ending };

    std::string read(const std::string & text);
    void leave();
    void closeWhenExhausted();

    const llama_vocab * vocab_;
    const Options options_;
    bool retired_ = false;
    bool at_start_ = false; // only white space has come since the answer began
    std::vector<llama_token> closing_; // the first end tag
    size_t closed_ = 0;                // how much of it has been forced
    int32_t spent_ = 0;
    State state_ = State::outside;
    std::string tail_; // text that may hold the beginning of a tag
    size_t longest_tag_ = 0;
};
