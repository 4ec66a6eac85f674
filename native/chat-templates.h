#pragma once

#include "chat.h"
#include "llama.h"
#include "template-analysis.h"

#include <mutex>
#include <string>

// Variable of a rendering that lets the template decide whether to think.
inline constexpr const char * THINKING_UNDECIDED = "inferd_thinking_is_undecided";

// Chat templates of a model. Any thread may use them.
class ChatTemplates {
  public:
    // Loads the templates at the first call. Takes ChatML if they cannot be read, or cannot render one sentence of a
    // user.
    void load(const llama_model * model);
    // Renders with the loaded templates.
    common_chat_params apply(const common_chat_templates_inputs & inputs);
    // Reason for which ChatML takes the place of the model's own templates. Empty if it does not.
    std::string problem(const llama_model * model);

  private:
    std::mutex mutex_;
    common_chat_templates_ptr templates_;
    std::string problem_;
    TemplateAnalyses analyses_;
};
