#include "model.h"

#include "addon-data.h"
#include "args.h"
#include "chat-format.h"
#include "json-text.h"
#include "promise-worker.h"
#include "rendering.h"
#include "tokenize.h"

#include "json-schema-to-grammar.h"
#include "llama-ext.h"

#include <climits>

namespace {

// Adds the tokens that frame prompts. llama.cpp finds those for filling in by keys, older keys and texts.
void describeTokens(Napi::Object & result, const llama_vocab * vocab) {
    const auto start = llama_vocab_bos(vocab);
    if (start != LLAMA_TOKEN_NULL) result.Set("startToken", start);
    result.Set("addsStartToken", llama_vocab_get_add_bos(vocab));
    const auto end = llama_vocab_eos(vocab);
    if (end != LLAMA_TOKEN_NULL) result.Set("endToken", end);
    const auto pad = llama_vocab_pad(vocab);
    if (pad != LLAMA_TOKEN_NULL) result.Set("padToken", pad);

    const auto prefix = llama_vocab_fim_pre(vocab);
    const auto suffix = llama_vocab_fim_suf(vocab);
    const auto middle = llama_vocab_fim_mid(vocab);
    if (prefix == LLAMA_TOKEN_NULL || suffix == LLAMA_TOKEN_NULL) return;
    auto fill = Napi::Object::New(result.Env());
    fill.Set("prefix", prefix);
    fill.Set("suffix", suffix);
    if (middle != LLAMA_TOKEN_NULL) fill.Set("middle", middle);
    result.Set("fillTokens", fill);
}

std::string metadata(const llama_model * model, const std::string & key) {
    char value[256];
    return llama_model_meta_val_str(model, key.c_str(), value, sizeof(value)) < 0 ? std::string() : std::string(value);
}

// Returns whether a model (Phi 3 and 4) has two sets of position factors, of which llama.cpp chooses one by the cache's
// length.
bool hasLongFactors(const llama_model * model) {
    const auto scaling = metadata(model, "general.architecture") + ".rope.scaling.";
    const auto type = metadata(model, scaling + "type");
    return !metadata(model, scaling + "original_context_length").empty() && type != "yarn" && type != "linear";
}

} // namespace

Napi::Function Model::define(Napi::Env env) {
    return DefineClass(env, "Model",
                       {InstanceMethod<&Model::tokenize>("tokenize"), InstanceMethod<&Model::tokenBytes>("tokenBytes"),
                        InstanceMethod<&Model::checkTemplate>("checkTemplate"),
                        InstanceMethod<&Model::applyTemplate>("applyTemplate"),
                        InstanceMethod<&Model::schemaGrammar>("schemaGrammar"), InstanceMethod<&Model::close>("close")});
}

Model * Model::from(const Napi::Value & value) {
    return Unwrap(instanceArg(value, "model", AddonData::of(value.Env()).model, "a Model of this addon"));
}

Model::Model(const Napi::CallbackInfo & info) : Napi::ObjectWrap<Model>(info) {
    if (!info[0].IsExternal()) throw Napi::TypeError::New(info.Env(), "models are made by loadModel");
    const LoadedFile & file = *info[0].As<Napi::External<LoadedFile>>().Data();
    model_ = file.model;
    has_draft_head_ = file.has_draft_head;
    info.This().As<Napi::Object>().Set("info", describe(info.Env()));
}

const SharedModel & Model::model() const {
    if (!model_) throw Napi::Error::New(Env(), "the model is closed");
    return model_;
}

Napi::Value Model::close(const Napi::CallbackInfo & info) {
    model_.reset();
    return info.Env().Undefined();
}

Napi::Object Model::describe(Napi::Env env) const {
    const llama_model * model = model_.get();
    char description[256];
    llama_model_desc(model, description, sizeof(description));

    auto result = Napi::Object::New(env);
    result.Set("description", description);
    result.Set("vocabularySize", llama_vocab_n_tokens(llama_model_get_vocab(model)));
    result.Set("embeddingSize", llama_model_n_embd_inp(model));
    result.Set("slidingWindowTokens", llama_model_n_swa(model));
    result.Set("layers", llama_model_n_layer(model));
    result.Set("hasExperts", llama_model_n_expert(model) > 0);
    result.Set("isRecurrent", llama_model_is_recurrent(model) || llama_model_is_hybrid(model));
    result.Set("hasLongFactors", hasLongFactors(model));
    result.Set("hasDraftHead", has_draft_head_);
    const char * chat_template = llama_model_chat_template(model, nullptr);
    if (chat_template != nullptr) result.Set("chatTemplate", chat_template);
    describeTokens(result, llama_model_get_vocab(model));
    return result;
}

Napi::Value Model::tokenize(const Napi::CallbackInfo & info) {
    const std::string text = stringArg(info[0], "text");
    const bool add_special = boolArg(info[1], "addSpecial");
    const bool parse_special = boolArg(info[2], "parseSpecial");
    if (text.size() > INT_MAX / 2) throwRange(info.Env(), "text is too long");

    using Tokens = std::vector<llama_token>;
    const auto work = [model = model(), text, add_special, parse_special] {
        return tokenizeText(llama_model_get_vocab(model.get()), text, add_special, parse_special);
    };
    const auto toArray = [](Napi::Env env, Tokens & tokens) -> Napi::Value {
        auto result = Napi::Int32Array::New(env, tokens.size());
        std::copy(tokens.begin(), tokens.end(), result.Data());
        return result;
    };
    return PromiseWorker<Tokens>::run(info.This().As<Napi::Object>(), work, toArray);
}

Napi::Value Model::tokenBytes(const Napi::CallbackInfo & info) {
    const llama_vocab * vocab = llama_model_get_vocab(model().get());
    const int32_t token = intArg(info[0], "token", 0, llama_vocab_n_tokens(vocab) - 1);
    const std::string bytes = common_token_to_piece(vocab, token, boolArg(info[1], "special"));
    auto result = Napi::Uint8Array::New(info.Env(), bytes.size());
    std::copy(bytes.begin(), bytes.end(), result.Data());
    return result;
}

Napi::Value Model::applyTemplate(const Napi::CallbackInfo & info) {
    const auto templates = [this, model = model()]() -> ChatTemplates & {
        templates_.load(model.get());
        return templates_;
    };
    return ChatFormat::render(info.This().As<Napi::Object>(), templates, objectArg(info[0], "inputs"),
                              Rendering::from(info[1]));
}

Napi::Value Model::checkTemplate(const Napi::CallbackInfo & info) {
    const auto check = [this, model = model()] { return templates_.problem(model.get()); };
    const auto toString = [](Napi::Env env, std::string & problem) -> Napi::Value { return Napi::String::New(env, problem); };
    return PromiseWorker<std::string>::run(info.This().As<Napi::Object>(), check, toString);
}

Napi::Value Model::schemaGrammar(const Napi::CallbackInfo & info) {
    const auto convert = [schema = stringArg(info[0], "schema")] {
        return json_schema_to_grammar(parseJson(schema, "the schema"), /* force_gbnf */ true);
    };
    const auto toString = [](Napi::Env env, std::string & grammar) -> Napi::Value { return Napi::String::New(env, grammar); };
    return PromiseWorker<std::string>::run(info.This().As<Napi::Object>(), convert, toString);
}
