#pragma once

#include <string>
#include <string_view>
#include <vector>

// Turns the bytes of sampled tokens into text that may be shown: whole UTF-8 characters, and never a stop string or a
// possible start of one.
class TextStream {
  public:
    explicit TextStream(std::vector<std::string> stops);

    // Takes the bytes of one token. Returns text that may be shown now.
    std::string push(std::string_view bytes);

    // Returns the held text and empties the stream.
    std::string flush();

    // Returns whether a stop string was found. The text before it was returned, the rest is dropped.
    bool stopped() const { return stopped_; }

  private:
    std::string release();

    std::vector<std::string> stops_;
    std::string bytes_; // an incomplete UTF-8 sequence
    std::string text_;  // complete characters that may be the beginning of a stop string
    bool stopped_ = false;
};
