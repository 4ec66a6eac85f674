#pragma once

#include "chat.h"
#include "llama.h"

#include <mutex>
#include <string>

// Among a rendering's variables: the template decides by itself whether to think.
inline constexpr const char * THINKING_UNDECIDED = "inferd_thinking_is_undecided";

// A model's chat templates, loaded at first use. Any thread may ask.
class ChatTemplates {
  public:
    // Throws CodedError `TEMPLATE_BROKEN` when they cannot be read, or do not come to an end with the simplest
    // conversations, which llama.cpp tries when it loads them.
    const common_chat_templates * get(const llama_model * model);

  private:
    std::mutex mutex_;
    common_chat_templates_ptr templates_;
    std::string problem_;
};
