#pragma once

#include <napi.h>

#include "chat-templates.h"
#include "render-limits.h"

#include <functional>
#include <memory>

// Rendered prompt, and the parser of its answer.
class ChatFormat : public Napi::ObjectWrap<ChatFormat> {
  public:
    static Napi::Function define(Napi::Env env);

    // Returns the templates, which it loads at the first call.
    using Templates = std::function<ChatTemplates &()>;

    // Applies the chat template off the main thread. Rejects with the template's own message if it refuses the input,
    // and with the code `RENDER_STOPPED` if it exceeds a limit or is cancelled. `model` owns the templates and stays
    // alive meanwhile.
    static Napi::Value render(const Napi::Object & model, const Templates & templates, const Napi::Object & inputs,
                              const std::shared_ptr<RenderLimits> & limits);

    explicit ChatFormat(const Napi::CallbackInfo & info);

  private:
    Napi::Value parse(const Napi::CallbackInfo & info);

    common_chat_parser_params parser_;
};
