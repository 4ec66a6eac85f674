#include "text-stream.h"

#include <algorithm>
#include <cstdint>

namespace {

constexpr std::string_view REPLACEMENT = "\xEF\xBF\xBD"; // U+FFFD

struct Sequence {
    size_t length; // bytes the lead byte asks for; 0: not a lead byte
    uint8_t second_min;
    uint8_t second_max;
};

// Restricts the second byte to exclude overlong forms, surrogates and code points above U+10FFFF.
Sequence sequenceOf(uint8_t lead) {
    if (lead < 0x80) return {1, 0, 0};
    if (lead < 0xC2) return {0, 0, 0};
    if (lead < 0xE0) return {2, 0x80, 0xBF};
    if (lead == 0xE0) return {3, 0xA0, 0xBF};
    if (lead == 0xED) return {3, 0x80, 0x9F};
    if (lead < 0xF0) return {3, 0x80, 0xBF};
    if (lead == 0xF0) return {4, 0x90, 0xBF};
    if (lead < 0xF4) return {4, 0x80, 0xBF};
    if (lead == 0xF4) return {4, 0x80, 0x8F};
    return {0, 0, 0};
}

// Moves whole characters from bytes to text. An invalid byte or a sequence that breaks off becomes U+FFFD. A sequence
// that may still be completed stays.
void decode(std::string & bytes, std::string & text) {
    size_t at = 0;
    while (at < bytes.size()) {
        const Sequence sequence = sequenceOf(static_cast<uint8_t>(bytes[at]));
        size_t valid = sequence.length == 0 ? 0 : 1;
        while (valid != 0 && valid < sequence.length && at + valid < bytes.size()) {
            const auto next = static_cast<uint8_t>(bytes[at + valid]);
            const uint8_t min = valid == 1 ? sequence.second_min : 0x80;
            const uint8_t max = valid == 1 ? sequence.second_max : 0xBF;
            if (next < min || next > max) break;
            valid++;
        }
        if (valid != 0 && valid == sequence.length) {
            text.append(bytes, at, valid);
        } else if (valid != 0 && at + valid == bytes.size()) {
            break;
        } else {
            text += REPLACEMENT;
        }
        at += std::max<size_t>(valid, 1);
    }
    bytes.erase(0, at);
}

// Returns the length of the text's longest end that begins the stop string.
size_t overlap(const std::string & text, const std::string & stop) {
    for (size_t length = std::min(text.size(), stop.size() - 1); length > 0; length--) {
        if (text.compare(text.size() - length, length, stop, 0, length) == 0) return length;
    }
    return 0;
}

} // namespace

TextStream::TextStream(std::vector<std::string> stops) : stops_(std::move(stops)) {
    stops_.erase(std::remove(stops_.begin(), stops_.end(), ""), stops_.end());
}

std::string TextStream::push(std::string_view bytes) {
    if (stopped_) return "";
    bytes_ += bytes;
    decode(bytes_, text_);
    return release();
}

std::string TextStream::release() {
    size_t stop_at = std::string::npos;
    size_t held = 0;
    for (const auto & stop : stops_) {
        stop_at = std::min(stop_at, text_.find(stop));
        held = std::max(held, overlap(text_, stop));
    }
    if (stop_at != std::string::npos) {
        stopped_ = true;
        bytes_.clear();
        std::string out = text_.substr(0, stop_at);
        text_.clear();
        return out;
    }
    std::string out = text_.substr(0, text_.size() - held);
    text_.erase(0, out.size());
    return out;
}

std::string TextStream::flush() {
    std::string out = std::move(text_);
    if (!bytes_.empty()) out += REPLACEMENT;
    text_.clear();
    bytes_.clear();
    return out;
}
