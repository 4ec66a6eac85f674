#pragma once

#include "promise-worker.h"

#include <string>

// Collects what llama.cpp logs as errors on this thread while it lives: it says no other way why it returned nothing. All else
// goes on to the log that was there before.
class ErrorLog {
  public:
    // Before the first one is made; again does nothing.
    static void install();

    ErrorLog();
    ~ErrorLog();
    ErrorLog(const ErrorLog &) = delete;

    // `what` and the words collected, with the code `OUT_OF_MEMORY` or `LOAD_FAILED`.
    CodedError error(const std::string & what) const;

  private:
    std::string words_;
};
