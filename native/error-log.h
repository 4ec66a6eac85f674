#pragma once

#include "promise-worker.h"

#include <string>

// Collects the errors that llama.cpp and its vision library log on this thread during its lifetime, since only these
// give the reasons of a failure. Uncollected errors, and the vision library's warnings, go to stderr at once.
class ErrorLog {
  public:
    // Must be called before the first instance. Further calls do nothing.
    static void install();

    ErrorLog();
    ~ErrorLog();
    ErrorLog(const ErrorLog &) = delete;

    // Adds an exception's message, unless the log has that line already.
    void add(const std::string & line);

    // Returns `what` with the collected texts. Its code is `OUT_OF_MEMORY` if they mention memory, else `code`.
    CodedError error(const std::string & what, const char * code = "LOAD_FAILED") const;

    const std::string & words() const { return words_; }

    bool says(const std::string & words) const { return words_.find(words) != std::string::npos; }

  private:
    std::string words_;
    std::string * const outer_; // of the one that lived before on this thread
};
