#include "template-analysis.h"

// Everything that chat.cpp includes, read before the names below are replaced.
#include "chat-auto-parser-helpers.h"
#include "chat-peg-parser.h"
#include "common.h"
#include "json-schema-to-grammar.h"
#include "json.h"
#include "log.h"
#include "parsers/parsers.h"

#include "jinja/caps.h"
#include "jinja/runtime.h"
#include "jinja/value.h"

namespace {

thread_local TemplateAnalyses * current = nullptr;

autoparser::autoparser analysisOf(const common_chat_template & chat_template) {
    if (current != nullptr) return current->of(chat_template);
    autoparser::autoparser analysis;
    analysis.analyze_template(chat_template);
    return analysis;
}

} // namespace

// llama.cpp's own file, from the release that `compiledAgainst` names, with one call replaced. Only this addon uses its
// functions.
#define analyze_template(chat_template) operator=(analysisOf(chat_template))
#include "chat.cpp"
#undef analyze_template

const autoparser::autoparser & TemplateAnalyses::of(const common_chat_template & chat_template) {
    {
        const std::lock_guard lock(mutex_);
        const auto found = known_.find(chat_template.source());
        if (found != known_.end()) return found->second;
    }
    autoparser::autoparser analysis;
    analysis.analyze_template(chat_template);
    const std::lock_guard lock(mutex_);
    // Another thread may have been faster, with the same result.
    return known_.try_emplace(chat_template.source(), std::move(analysis)).first->second;
}

AnalysisScope::AnalysisScope(TemplateAnalyses & analyses) {
    current = &analyses;
}

AnalysisScope::~AnalysisScope() {
    current = nullptr;
}
