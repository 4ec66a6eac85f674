#pragma once

#include <napi.h>

#include "chat-templates.h"
#include "llama.h"

class AddonModel;

// The model that node-llama-cpp loaded, seen from this addon. Keeps node-llama-cpp's object alive, owns nothing of it.
class Model : public Napi::ObjectWrap<Model> {
  public:
    static Napi::Function define(Napi::Env env);
    static Model * from(const Napi::Value & value);

    explicit Model(const Napi::CallbackInfo & info);

    bool isDisposed() const;

    // Both throw once node-llama-cpp has disposed of the model.
    llama_model * model() const;
    const llama_vocab * vocab() const;

  private:
    Napi::Value tokenize(const Napi::CallbackInfo & info);
    Napi::Value tokenBytes(const Napi::CallbackInfo & info);
    Napi::Value checkTemplate(const Napi::CallbackInfo & info);
    Napi::Value applyTemplate(const Napi::CallbackInfo & info);
    Napi::Value schemaGrammar(const Napi::CallbackInfo & info);
    Napi::Object describe(Napi::Env env) const;

    AddonModel * addon_model_ = nullptr;
    Napi::ObjectReference owner_; // node-llama-cpp's model object
    ChatTemplates templates_;
};
