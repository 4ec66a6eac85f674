#pragma once

#include <napi.h>

#include "chat-templates.h"
#include "render-limits.h"

#include <functional>
#include <memory>

// A rendered prompt together with the parser of the answer to it.
class ChatFormat : public Napi::ObjectWrap<ChatFormat> {
  public:
    static Napi::Function define(Napi::Env env);

    // Loads them at the first call.
    using Templates = std::function<ChatTemplates &()>;

    // Applies the chat template off the main thread. The promise is rejected with the template's own message when it
    // refuses the input, with the code `RENDER_STOPPED` beyond a limit or when it is cancelled. `model` owns the templates
    // and stays alive meanwhile.
    static Napi::Value render(const Napi::Object & model, const Templates & templates, const Napi::Object & inputs,
                              const std::shared_ptr<RenderLimits> & limits);

    explicit ChatFormat(const Napi::CallbackInfo & info);

  private:
    Napi::Value parse(const Napi::CallbackInfo & info);

    common_chat_parser_params parser_;
};
