#pragma once

#include "promise-worker.h"

#include <string>

// Collects what llama.cpp and its vision library log as errors on this thread while it lives: they say no other way why they returned
// nothing. Errors that nobody collects, and warnings of the vision library, go to stderr at once.
class ErrorLog {
  public:
    // Before the first one is made; again does nothing.
    static void install();

    ErrorLog();
    ~ErrorLog();
    ErrorLog(const ErrorLog &) = delete;

    // What an exception says, which is left out like a line of the log where it repeats what the log says.
    void add(const std::string & line);

    // `what` and the words collected, with the code `OUT_OF_MEMORY`, or `code` when they do not speak of memory.
    CodedError error(const std::string & what, const char * code = "LOAD_FAILED") const;

    const std::string & words() const { return words_; }

    bool says(const std::string & words) const { return words_.find(words) != std::string::npos; }

  private:
    std::string words_;
    std::string * const outer_; // of the one that lived before on this thread
};
