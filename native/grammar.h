#pragma once

#include "llama.h"

#include <cstdint>
#include <memory>
#include <string>

struct llama_grammar;

struct LlamaGrammarDeleter {
    void operator()(llama_grammar * grammar) const;
};

// Grammar, and the place in it that a text has reached. Uses the functions behind llama.cpp's grammar sampler, which
// does not reveal its place. Every function throws std::runtime_error in cases in which llama.cpp would abort.
class Grammar {
  public:
    Grammar(const llama_vocab * vocab, const std::string & text);
    Grammar(const Grammar & other);

    bool allows(llama_token token) const;

    // Sets the logits of candidates that the grammar forbids to -INFINITY.
    void apply(llama_token_data_array & candidates) const;

    // Adds a token to the text. Throws if the text is nested too deeply.
    void accept(llama_token token);

    // Returns a hash of the place. Equal hashes allow the same continuations.
    uint64_t place() const;

  private:
    std::unique_ptr<llama_grammar, LlamaGrammarDeleter> grammar_;
};
