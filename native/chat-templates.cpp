#include "chat-templates.h"

#include "guard-template.h"
#include "promise-worker.h"
#include "render-limits.h"

#include <memory>
#include <stdexcept>

// llama.cpp's own type, as chat.cpp of the very release that `compiledAgainst` names defines it.
struct common_chat_templates {
    bool add_bos;
    bool add_eos;
    bool has_explicit_template;
    std::unique_ptr<common_chat_template> template_default;
    std::unique_ptr<common_chat_template> template_tool_use;
};

namespace {

// llama.cpp tells every template whether to think. Some have a default of their own, which applies only while the variable
// is not set. This statement in front of the template unsets it when the inputs hold THINKING_UNDECIDED. The newline behind
// a statement is not rendered.
const char * const TAKE_BACK = "{%- if inferd_thinking_is_undecided is defined %}"
                               "{%- set enable_thinking = inferd_undefined_variable %}"
                               "{%- endif %}\n";

constexpr double PROBE_CPU_MS = 2'000;
constexpr size_t PROBE_TEXT_BYTES = 1 << 20;

// llama.cpp renders a few conversations when it loads a template, without any limit: so they are rendered with limits first.
void probe(const char * source) {
    if (source == nullptr) return;
    jinja::lexer lexer;
    auto program = jinja::parse_from_tokens(lexer.tokenize(source));
    guardTemplate(program);
    RenderLimits limits(PROBE_CPU_MS, PROBE_TEXT_BYTES);
    const RenderScope scope(limits);
    jinja::caps_get(program);
}

common_chat_templates_ptr load(const llama_model * model) {
    const char * source = llama_model_chat_template(model, nullptr);
    const char * tool_source = llama_model_chat_template(model, "tool_use");
    probe(source);
    probe(tool_source);
    const bool asks = source != nullptr && std::string(source).find("enable_thinking") != std::string::npos;
    // A second template, for prompts with tools, would be lost; models that have one are older than such switches.
    const bool is_alone = tool_source == nullptr;
    auto templates = common_chat_templates_init(model, asks && is_alone ? std::string(TAKE_BACK) + source : "");
    guardTemplate(templates->template_default->prog);
    if (templates->template_tool_use) guardTemplate(templates->template_tool_use->prog);
    return templates;
}

} // namespace

const common_chat_templates * ChatTemplates::get(const llama_model * model) {
    const std::lock_guard lock(mutex_);
    if (templates_ == nullptr && problem_.empty()) {
        try {
            templates_ = load(model);
        } catch (const RenderStopped & stopped) {
            problem_ = std::string("rendering it does not end well: ") + stopped.what();
        } catch (const std::exception & error) {
            problem_ = error.what();
        }
    }
    if (templates_ == nullptr) throw CodedError("TEMPLATE_BROKEN", "the model's chat template is broken: " + problem_);
    return templates_.get();
}
