#include "model.h"

#include "addon-data.h"
#include "args.h"
#include "chat-format.h"
#include "json-text.h"
#include "promise-worker.h"
#include "rendering.h"

#include "AddonModel.h"
#include "json-schema-to-grammar.h"

#include <climits>

namespace {

// The object is read with the layout of node-llama-cpp's own header. Should the layout differ after all, two fields that
// must agree will not: llama_model_get_vocab only computes an address, so nothing behind a wrong pointer is touched.
const char * refusal(const AddonModel * addon_model) {
    if (addon_model->model == nullptr) return "no model is loaded";
    if (addon_model->vocab != llama_model_get_vocab(addon_model->model)) return "its layout is not the expected one";
    if (!addon_model->modelLoaded) return "it has not finished loading";
    if (addon_model->disposed || addon_model->memoryDisposed) return "it was disposed";
    const int32_t tokens = llama_vocab_n_tokens(addon_model->vocab);
    if (tokens < 1 || tokens > (1 << 24)) return "its vocabulary size is implausible";
    if (llama_vocab_type(addon_model->vocab) == LLAMA_VOCAB_TYPE_NONE) return "it has no vocabulary";
    const int32_t layers = llama_model_n_layer(addon_model->model);
    if (layers < 1 || layers > 10000) return "its layer count is implausible";
    return nullptr;
}

} // namespace

Napi::Function Model::define(Napi::Env env) {
    return DefineClass(env, "Model",
                       {InstanceMethod<&Model::tokenize>("tokenize"), InstanceMethod<&Model::tokenBytes>("tokenBytes"),
                        InstanceMethod<&Model::checkTemplate>("checkTemplate"),
                        InstanceMethod<&Model::applyTemplate>("applyTemplate"),
                        InstanceMethod<&Model::schemaGrammar>("schemaGrammar")});
}

Model * Model::from(const Napi::Value & value) {
    return Unwrap(instanceArg(value, "model", AddonData::of(value.Env()).model, "a Model of this addon"));
}

Model::Model(const Napi::CallbackInfo & info) : Napi::ObjectWrap<Model>(info) {
    const auto object = objectArg(info[0], "addonModel");
    const auto type = object.Get("constructor").As<Napi::Object>().Get("name");
    if (!type.IsString() || type.As<Napi::String>().Utf8Value() != "AddonModel") {
        throw Napi::TypeError::New(info.Env(), "addonModel must be node-llama-cpp's AddonModel (`model._model`)");
    }
    void * unwrapped = nullptr;
    if (napi_unwrap(info.Env(), object, &unwrapped) != napi_ok || unwrapped == nullptr) {
        throw Napi::TypeError::New(info.Env(), "addonModel holds no native object");
    }
    addon_model_ = static_cast<AddonModel *>(unwrapped);
    if (const char * reason = refusal(addon_model_)) {
        throw Napi::Error::New(info.Env(), std::string("this AddonModel cannot be used: ") + reason);
    }
    owner_ = Napi::Persistent(object);
    info.This().As<Napi::Object>().Set("info", describe(info.Env()));
}

bool Model::isDisposed() const {
    return addon_model_->disposed || addon_model_->memoryDisposed;
}

llama_model * Model::model() const {
    if (isDisposed()) throw Napi::Error::New(Env(), "the model was disposed");
    return addon_model_->model;
}

const llama_vocab * Model::vocab() const {
    return llama_model_get_vocab(model());
}

Napi::Object Model::describe(Napi::Env env) const {
    const llama_model * model = addon_model_->model;
    char description[256];
    llama_model_desc(model, description, sizeof(description));

    auto result = Napi::Object::New(env);
    result.Set("description", description);
    result.Set("vocabularySize", llama_vocab_n_tokens(addon_model_->vocab));
    result.Set("embeddingSize", llama_model_n_embd_inp(model));
    result.Set("slidingWindowTokens", llama_model_n_swa(model));
    result.Set("isRecurrent", llama_model_is_recurrent(model) || llama_model_is_hybrid(model));
    return result;
}

Napi::Value Model::tokenize(const Napi::CallbackInfo & info) {
    const std::string text = stringArg(info[0], "text");
    const bool add_special = boolArg(info[1], "addSpecial");
    const bool parse_special = boolArg(info[2], "parseSpecial");
    if (text.size() > INT_MAX / 2) throwRange(info.Env(), "text is too long");

    using Tokens = std::vector<llama_token>;
    const auto work = [vocab = vocab(), text, add_special, parse_special] {
        // One byte makes at most one token, but for what is added in front and behind.
        Tokens tokens(text.size() + 8);
        const int32_t count = llama_tokenize(vocab, text.data(), text.size(), tokens.data(), tokens.size(), add_special,
                                             parse_special);
        if (count < 0) throw std::runtime_error("the text cannot be tokenized");
        tokens.resize(count);
        return tokens;
    };
    const auto toArray = [](Napi::Env env, Tokens & tokens) -> Napi::Value {
        auto result = Napi::Int32Array::New(env, tokens.size());
        std::copy(tokens.begin(), tokens.end(), result.Data());
        return result;
    };
    return PromiseWorker<Tokens>::run(info.This().As<Napi::Object>(), work, toArray);
}

Napi::Value Model::tokenBytes(const Napi::CallbackInfo & info) {
    const int32_t token = intArg(info[0], "token", 0, llama_vocab_n_tokens(vocab()) - 1);
    const std::string bytes = common_token_to_piece(vocab(), token, boolArg(info[1], "special"));
    auto result = Napi::Uint8Array::New(info.Env(), bytes.size());
    std::copy(bytes.begin(), bytes.end(), result.Data());
    return result;
}

Napi::Value Model::applyTemplate(const Napi::CallbackInfo & info) {
    const auto templates = [this, model = model()] { return templates_.get(model); };
    return ChatFormat::render(info.This().As<Napi::Object>(), templates, objectArg(info[0], "inputs"),
                              Rendering::from(info[1]));
}

Napi::Value Model::checkTemplate(const Napi::CallbackInfo & info) {
    const auto check = [this, model = model()] { return templates_.get(model) != nullptr; };
    const auto nothing = [](Napi::Env env, bool &) -> Napi::Value { return env.Undefined(); };
    return PromiseWorker<bool>::run(info.This().As<Napi::Object>(), check, nothing);
}

Napi::Value Model::schemaGrammar(const Napi::CallbackInfo & info) {
    const auto convert = [schema = stringArg(info[0], "schema")] {
        return json_schema_to_grammar(parseJson(schema, "the schema"), /* force_gbnf */ true);
    };
    const auto toString = [](Napi::Env env, std::string & grammar) -> Napi::Value { return Napi::String::New(env, grammar); };
    return PromiseWorker<std::string>::run(info.This().As<Napi::Object>(), convert, toString);
}
