#pragma once

#include "llama.h"

#include <string>
#include <vector>

// Knows whether an answer is inside a think block, and ends the block when it has had enough tokens. Looks for the tags in
// the text rather than among the tokens: a tag that is no token of its own may be cut anywhere, also together with what
// stands beside it.
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

    // From behind the start tag to the end of the end tag.
    bool isThinking() const { return state_ != State::outside; }

    // The token that must come next for the block to end, LLAMA_TOKEN_NULL when there is a choice.
    llama_token forced() const;

    // Returns the end tag when this token completes one, else an empty string.
    std::string accept(llama_token token);

    // Ends the open block now: `forced` tells how.
    void close();

    // From here on there are no more blocks.
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
