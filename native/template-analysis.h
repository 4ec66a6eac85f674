#pragma once

#include "chat-auto-parser.h"

#include <map>
#include <mutex>
#include <string>

// Analyses of a model's chat templates: the form of their reasoning, text and calls. Kept, because llama.cpp would
// repeat them for each prompt with some thirty renderings.
class TemplateAnalyses {
  public:
    // Returns the analysis, made at the template's first rendering. Throws what stops that rendering, and then keeps
    // nothing.
    const autoparser::autoparser & of(const common_chat_template & chat_template);

  private:
    std::mutex mutex_;
    // Analyses by the template's source.
    std::map<std::string, autoparser::autoparser> known_;
};

// Scope in which this thread's renderings take their analyses from the given ones. Scopes do not nest.
class AnalysisScope {
  public:
    explicit AnalysisScope(TemplateAnalyses & analyses);
    ~AnalysisScope();
    AnalysisScope(const AnalysisScope &) = delete;
};
