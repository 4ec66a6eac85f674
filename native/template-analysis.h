#pragma once

#include "chat-auto-parser.h"

#include <map>
#include <mutex>
#include <string>

// Analyses of a model's chat templates: the form of their reasoning, text and calls. llama.cpp makes them anew for each
// prompt, by some thirty renderings.
class TemplateAnalyses {
  public:
    // Analyses the template at its first rendering. Throws what stops that rendering, and then keeps nothing.
    const autoparser::autoparser & of(const common_chat_template & chat_template);

  private:
    std::mutex mutex_;
    // Keyed by the source of the template.
    std::map<std::string, autoparser::autoparser> known_;
};

// Renderings of this thread take their analyses from there until the scope ends. Scopes do not nest.
class AnalysisScope {
  public:
    explicit AnalysisScope(TemplateAnalyses & analyses);
    ~AnalysisScope();
    AnalysisScope(const AnalysisScope &) = delete;
};
