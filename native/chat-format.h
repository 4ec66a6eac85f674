#pragma once

#include <napi.h>

#include "chat.h"

// A rendered prompt together with the parser of the answer to it.
class ChatFormat : public Napi::ObjectWrap<ChatFormat> {
  public:
    static Napi::Function define(Napi::Env env);

    // Applies the chat template. Throws with the template's own message when it refuses the input.
    static Napi::Value render(const common_chat_templates * templates, const Napi::Object & inputs);

    explicit ChatFormat(const Napi::CallbackInfo & info);

  private:
    Napi::Value parse(const Napi::CallbackInfo & info);

    common_chat_parser_params parser_;
};
