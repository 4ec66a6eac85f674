#pragma once

#include "llama.h"

#include <string>
#include <vector>

// Returns the tokens that `llama_tokenize` makes of a text, in linear time. llama.cpp's time is quadratic in the special
// tokens of a text, so a long text is cut in front of some of them, where that changes no token. Where 16,384 of them leave
// no such place (line breaks that are tokens in all lengths), it is cut anyway.
std::vector<llama_token> tokenizeText(const llama_vocab * vocab, const std::string & text, bool add_special,
                                      bool parse_special);
