#pragma once

#include "promise-worker.h"

#include <string>

// Collects the errors that llama.cpp and its vision library log on this thread while it lives: they give reasons for
// returning nothing only there. Uncollected errors, and warnings of the vision library, go to stderr at once.
class ErrorLog {
  public:
    // Must be called before the first instance. Further calls do nothing.
    static void install();

    ErrorLog();
    ~ErrorLog();
    ErrorLog(const ErrorLog &) = delete;

    // Adds an exception's message, like a line of the log left out if the log already has it.
    void add(const std::string & line);

    // Returns `what` and the collected words, with the code `OUT_OF_MEMORY` if they mention memory, else `code`.
    CodedError error(const std::string & what, const char * code = "LOAD_FAILED") const;

    const std::string & words() const { return words_; }

    bool says(const std::string & words) const { return words_.find(words) != std::string::npos; }

  private:
    std::string words_;
    std::string * const outer_; // of the one that lived before on this thread
};
