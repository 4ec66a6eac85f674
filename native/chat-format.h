#pragma once

#include <napi.h>

#include "chat.h"

// A rendered prompt together with the parser of the answer to it.
class ChatFormat : public Napi::ObjectWrap<ChatFormat> {
  public:
    static Napi::Function define(Napi::Env env);

    // The chat templates of a model, as `render` wants them.
    static common_chat_templates_ptr templatesOf(const llama_model * model);

    // Applies the chat template off the main thread. The promise is rejected with the template's own message when it
    // refuses the input. `model` owns the templates and stays alive meanwhile.
    static Napi::Value render(const Napi::Object & model, const common_chat_templates * templates, const Napi::Object & inputs);

    explicit ChatFormat(const Napi::CallbackInfo & info);

  private:
    Napi::Value parse(const Napi::CallbackInfo & info);

    common_chat_parser_params parser_;
};
