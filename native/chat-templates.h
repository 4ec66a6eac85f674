#pragma once

#include "chat.h"
#include "llama.h"
#include "template-analysis.h"

#include <mutex>
#include <string>

// Among a rendering's variables: the template decides by itself whether to think.
inline constexpr const char * THINKING_UNDECIDED = "inferd_thinking_is_undecided";

// A model's chat templates. Any thread may ask.
class ChatTemplates {
  public:
    // Loads them at the first call: ChatML in place of templates that cannot be read, or cannot render one sentence of a user.
    void load(const llama_model * model);
    // Renders, once they are loaded.
    common_chat_params apply(const common_chat_templates_inputs & inputs);
    // Reason for which ChatML takes the place of the model's own templates. Empty if it does not.
    std::string problem(const llama_model * model);

  private:
    std::mutex mutex_;
    common_chat_templates_ptr templates_;
    std::string problem_;
    TemplateAnalyses analyses_;
};
