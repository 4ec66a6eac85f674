#pragma once

#include <napi.h>

#include "chat-templates.h"
#include "model-loader.h"

// Loaded model, with its texts and tokens.
class Model : public Napi::ObjectWrap<Model> {
  public:
    static Napi::Function define(Napi::Env env);
    static Model * from(const Napi::Value & value);

    // Called only by `loadModel`.
    explicit Model(const Napi::CallbackInfo & info);

    // Throws once the model is closed.
    const SharedModel & model() const;
    bool hasDraftHead() const { return has_draft_head_; }

  private:
    Napi::Value tokenize(const Napi::CallbackInfo & info);
    Napi::Value tokenBytes(const Napi::CallbackInfo & info);
    Napi::Value checkTemplate(const Napi::CallbackInfo & info);
    Napi::Value applyTemplate(const Napi::CallbackInfo & info);
    Napi::Value schemaGrammar(const Napi::CallbackInfo & info);
    Napi::Value close(const Napi::CallbackInfo & info);
    Napi::Object describe(Napi::Env env) const;

    SharedModel model_;
    bool has_draft_head_ = false;
    ChatTemplates templates_;
};
