#pragma once

#include "llama.h"

#include <cstdint>
#include <memory>
#include <string>

struct llama_grammar;

struct LlamaGrammarDeleter {
    void operator()(llama_grammar * grammar) const;
};

// A grammar and the place in it that a text has reached. Made of the functions behind llama.cpp's grammar sampler, which
// does not tell its place. Every function throws std::runtime_error rather than let llama.cpp abort.
class Grammar {
  public:
    Grammar(const llama_vocab * vocab, const std::string & text);
    Grammar(const Grammar & other);

    bool allows(llama_token token) const;

    // Sets the logits of candidates that do not fit to -INFINITY.
    void apply(llama_token_data_array & candidates) const;

    // Throws when the text is nested too deeply.
    void accept(llama_token token);

    // A hash of the place. After equal hashes the same texts may follow.
    uint64_t place() const;

  private:
    std::unique_ptr<llama_grammar, LlamaGrammarDeleter> grammar_;
};
