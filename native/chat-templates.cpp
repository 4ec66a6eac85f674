#include "chat-templates.h"

#include "guard-template.h"
#include "render-limits.h"

#include <memory>
#include <stdexcept>

// llama.cpp's own type, copied from chat.cpp of the release that `compiledAgainst` names.
struct common_chat_templates {
    bool add_bos;
    bool add_eos;
    bool has_explicit_template;
    std::unique_ptr<common_chat_template> template_default;
    std::unique_ptr<common_chat_template> template_tool_use;
};

namespace {

// llama.cpp tells every template whether to think, but some have a default for an unset variable. This statement in
// front of the template unsets the variable if the inputs hold THINKING_UNDECIDED. The newline after a statement is not
// rendered.
const char * const TAKE_BACK = "{%- if inferd_thinking_is_undecided is defined %}"
                               "{%- set enable_thinking = inferd_undefined_variable %}"
                               "{%- endif %}\n";

constexpr double PROBE_CPU_MS = 2'000;
constexpr size_t PROBE_TEXT_BYTES = 1 << 20;

// Renders conversations with limits, since llama.cpp renders some without any when it loads a template.
void probe(const char * source) {
    if (source == nullptr) return;
    jinja::lexer lexer;
    auto program = jinja::parse_from_tokens(lexer.tokenize(source));
    guardTemplate(program);
    RenderLimits limits(PROBE_CPU_MS, PROBE_TEXT_BYTES);
    const RenderScope scope(limits);
    jinja::caps_get(program);
}

void guard(common_chat_templates & templates) {
    guardTemplate(templates.template_default->prog);
    if (templates.template_tool_use) guardTemplate(templates.template_tool_use->prog);
}

// Word that no template writes by itself.
const char * const SAID = "zxuserword";

// Throws if the template refuses one sentence of a user, with its own message, or does not show it.
void requireUserText(const common_chat_templates & templates) {
    common_chat_msg message;
    message.role = "user";
    message.content = SAID;
    common_chat_templates_inputs inputs;
    inputs.messages = {message};
    RenderLimits limits(PROBE_CPU_MS, PROBE_TEXT_BYTES);
    const RenderScope scope(limits);
    const std::string prompt = common_chat_templates_apply(&templates, inputs).prompt;
    if (prompt.find(SAID) == std::string::npos) throw std::runtime_error("it does not show what a user says");
}

common_chat_templates_ptr loadOwn(const llama_model * model) {
    const char * source = llama_model_chat_template(model, nullptr);
    const char * tool_source = llama_model_chat_template(model, "tool_use");
    probe(source);
    probe(tool_source);
    const bool asks = source != nullptr && std::string(source).find("enable_thinking") != std::string::npos;
    // A second template, for prompts with tools, would be lost. Models that have one are older than variables for
    // thinking.
    const bool is_alone = tool_source == nullptr;
    auto templates = common_chat_templates_init(model, asks && is_alone ? std::string(TAKE_BACK) + source : "");
    guard(*templates);
    requireUserText(*templates);
    return templates;
}

// Loads ChatML, which llama.cpp also uses for models without a template.
common_chat_templates_ptr loadFallback(const llama_model * model) {
    auto templates = common_chat_templates_init(model, "chatml");
    guard(*templates);
    return templates;
}

} // namespace

void ChatTemplates::load(const llama_model * model) {
    const std::lock_guard lock(mutex_);
    if (templates_ != nullptr) return;
    const AnalysisScope scope(analyses_);
    try {
        templates_ = loadOwn(model);
    } catch (const RenderStopped & stopped) {
        problem_ = std::string("rendering it does not end well: ") + stopped.what();
    } catch (const std::exception & error) {
        problem_ = error.what();
    }
    if (templates_ == nullptr) templates_ = loadFallback(model);
}

common_chat_params ChatTemplates::apply(const common_chat_templates_inputs & inputs) {
    const AnalysisScope scope(analyses_);
    return common_chat_templates_apply(templates_.get(), inputs);
}

std::string ChatTemplates::problem(const llama_model * model) {
    load(model);
    return problem_;
}
