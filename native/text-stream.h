#pragma once

#include <string>
#include <string_view>
#include <vector>

// Turns the bytes of sampled tokens into text that may be given out: whole UTF-8 characters, and never a stop string or
// what may become one.
class TextStream {
  public:
    explicit TextStream(std::vector<std::string> stops);

    // Takes the bytes of one token. The result may be given out now.
    std::string push(std::string_view bytes);

    // What is still held back; the stream is empty afterwards.
    std::string flush();

    // A stop string was seen. What came before it has been given out, the rest is dropped.
    bool stopped() const { return stopped_; }

  private:
    std::string release();

    std::vector<std::string> stops_;
    std::string bytes_; // an incomplete UTF-8 sequence
    std::string text_;  // complete characters that may be the beginning of a stop string
    bool stopped_ = false;
};
