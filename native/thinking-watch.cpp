#include "thinking-watch.h"

#include "common.h"

#include <algorithm>

namespace {

// Returns whether the text ends inside a character. Looks at the last four bytes.
bool endsInsideCharacter(const std::string & text) {
    for (size_t back = 1; back <= 4 && back <= text.size(); back++) {
        const auto byte = static_cast<uint8_t>(text[text.size() - back]);
        if ((byte & 0xC0) == 0x80) continue;
        const size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
        return length > back;
    }
    return false;
}

} // namespace

ThinkingWatch::ThinkingWatch(const llama_vocab * vocab, Options options) : vocab_(vocab), options_(std::move(options)) {
    if (options_.start_tag.empty() || options_.end_tags.empty()) {
        retired_ = true;
        return;
    }
    longest_tag_ = options_.start_tag.size();
    for (const auto & tag : options_.end_tags) longest_tag_ = std::max(longest_tag_, tag.size());
    closing_ = common_tokenize(vocab_, options_.end_tags[0], false, true);
    read(options_.generation_prompt);
    if (state_ == State::outside) tail_.clear();
    at_start_ = options_.only_at_start && !retired_;
    closeWhenExhausted();
}

llama_token ThinkingWatch::forced() const {
    return state_ == State::ending ? closing_[closed_] : LLAMA_TOKEN_NULL;
}

std::string ThinkingWatch::accept(llama_token token) {
    if (state_ == State::ending) {
        closed_++;
        if (closed_ < closing_.size()) return "";
        leave();
        tail_.clear();
        return options_.end_tags[0];
    }
    if (retired_) return "";
    const bool was_inside = state_ == State::inside;
    const std::string ended = read(common_token_to_piece(vocab_, token, true));
    if (was_inside && state_ == State::inside) spent_++;
    closeWhenExhausted();
    return ended;
}

// Reads text, which may end one block and begin another. Returns the last end tag in it.
std::string ThinkingWatch::read(const std::string & text) {
    std::string ended;
    tail_ += text;
    while (!retired_) {
        if (state_ == State::outside) {
            if (at_start_) {
                tail_.erase(0, tail_.find_first_not_of(" \t\r\n"));
                at_start_ = options_.start_tag.compare(0, tail_.size(), tail_) == 0;
                const bool opens = tail_.compare(0, options_.start_tag.size(), options_.start_tag) == 0;
                if (!at_start_ && !opens) retired_ = true;
                if (!opens) break;
                tail_.erase(0, options_.start_tag.size());
            } else {
                const size_t at = tail_.find(options_.start_tag);
                if (at == std::string::npos) break;
                tail_.erase(0, at + options_.start_tag.size());
            }
            state_ = State::inside;
            spent_ = 0;
        } else {
            size_t first = std::string::npos;
            const std::string * found = nullptr;
            for (const auto & tag : options_.end_tags) {
                const size_t at = tail_.find(tag);
                if (at >= first) continue;
                first = at;
                found = &tag;
            }
            if (found == nullptr) break;
            tail_.erase(0, first + found->size());
            leave();
            ended = *found;
        }
    }
    if (tail_.size() >= longest_tag_) tail_.erase(0, tail_.size() - longest_tag_ + 1);
    return ended;
}

void ThinkingWatch::leave() {
    state_ = State::outside;
    retired_ = options_.only_at_start;
}

void ThinkingWatch::close() {
    state_ = State::ending;
    closed_ = 0;
}

void ThinkingWatch::closeWhenExhausted() {
    if (state_ != State::inside || options_.budget < 0 || spent_ < options_.budget || closing_.empty()) return;
    if (!endsInsideCharacter(tail_)) close();
}
