#include "chat-format.h"

#include "addon-data.h"
#include "args.h"
#include "promise-worker.h"

#include <memory>
#include <stdexcept>

namespace {

// Templates, schema converter and JSON printer recurse; this deep none of them has used much of the stack.
constexpr int MAX_JSON_DEPTH = 100;

common_json parseJson(const std::string & text, const char * name) {
    int depth = 0;
    bool in_string = false;
    for (size_t i = 0; i < text.size(); i++) {
        const char c = text[i];
        if (in_string && c == '\\') i++;
        else if (c == '"') in_string = !in_string;
        else if (!in_string && (c == '{' || c == '[')) depth++;
        else if (!in_string && (c == '}' || c == ']')) depth--;
        if (depth > MAX_JSON_DEPTH) throw std::runtime_error(std::string(name) + " is nested too deeply");
    }
    return common_json::parse(text);
}

common_chat_tool_choice toolChoice(const Napi::Object & inputs) {
    const std::string choice = field(inputs, "toolChoice", stringArg);
    if (choice == "auto") return COMMON_CHAT_TOOL_CHOICE_AUTO;
    if (choice == "required") return COMMON_CHAT_TOOL_CHOICE_REQUIRED;
    if (choice == "none") return COMMON_CHAT_TOOL_CHOICE_NONE;
    throw Napi::TypeError::New(inputs.Env(), "toolChoice must be auto, required or none");
}

// The inputs as JavaScript gave them: types are checked, JSON is not read yet.
struct Request {
    std::string messages_json;
    std::string tools_json;
    bool continues;
    common_chat_templates_inputs inputs;
};

Request readRequest(const Napi::Object & inputs) {
    Request request;
    request.messages_json = field(inputs, "messagesJson", stringArg);
    request.tools_json = field(inputs, "toolsJson", stringArg);
    request.continues = field(inputs, "continueFinalMessage", boolArg);

    auto & result = request.inputs;
    result.use_jinja = true;
    result.reasoning_format = COMMON_REASONING_FORMAT_DEEPSEEK;
    result.tool_choice = toolChoice(inputs);
    result.parallel_tool_calls = field(inputs, "parallelToolCalls", boolArg);
    result.json_schema = field(inputs, "jsonSchema", stringArg);
    result.enable_thinking = field(inputs, "enableThinking", boolArg);
    result.add_generation_prompt = field(inputs, "addGenerationPrompt", boolArg);
    const auto variables = field(inputs, "templateVariables", objectArg);
    const auto names = variables.GetPropertyNames();
    for (uint32_t i = 0; i < names.Length(); i++) {
        const std::string name = names.Get(i).ToString().Utf8Value();
        result.chat_template_kwargs[name] = stringArg(variables.Get(name), name.c_str());
    }
    return request;
}

// Reads the JSON: off the main thread, since it may be long.
const common_chat_templates_inputs & readJson(Request & request) {
    auto & result = request.inputs;
    result.messages = common_chat_msgs_parse_oaicompat(parseJson(request.messages_json, "messages"));
    if (result.messages.empty()) throw std::runtime_error("messages must not be empty");
    if (!request.tools_json.empty()) {
        result.tools = common_chat_tools_parse_oaicompat(parseJson(request.tools_json, "tools"));
    }
    if (!result.json_schema.empty()) parseJson(result.json_schema, "jsonSchema");
    for (const auto & [name, value] : result.chat_template_kwargs) parseJson(value, name.c_str());
    if (request.continues) {
        if (!result.messages.back().tool_calls.empty()) {
            throw std::runtime_error("a message that calls tools can not be continued");
        }
        result.continue_final_message = COMMON_CHAT_CONTINUATION_AUTO;
        result.add_generation_prompt = false;
    }
    return result;
}

const char * triggerType(common_grammar_trigger_type type) {
    switch (type) {
        case COMMON_GRAMMAR_TRIGGER_TYPE_TOKEN: return "token";
        case COMMON_GRAMMAR_TRIGGER_TYPE_WORD: return "word";
        case COMMON_GRAMMAR_TRIGGER_TYPE_PATTERN: return "pattern";
        case COMMON_GRAMMAR_TRIGGER_TYPE_PATTERN_FULL: return "pattern-full";
    }
    throw std::runtime_error("unknown grammar trigger: this is a bug");
}

Napi::Array toArray(Napi::Env env, const std::vector<std::string> & strings) {
    auto array = Napi::Array::New(env, strings.size());
    for (size_t i = 0; i < strings.size(); i++) array.Set(i, strings[i]);
    return array;
}

Napi::Array toArray(Napi::Env env, const std::vector<common_grammar_trigger> & triggers) {
    auto array = Napi::Array::New(env, triggers.size());
    for (size_t i = 0; i < triggers.size(); i++) {
        auto trigger = Napi::Object::New(env);
        trigger.Set("type", triggerType(triggers[i].type));
        trigger.Set("value", triggers[i].value);
        array.Set(i, trigger);
    }
    return array;
}

// What render hands to the constructor, which only JavaScript can call.
struct Rendered {
    common_chat_params params;
    bool continues = false;
};

} // namespace

Napi::Function ChatFormat::define(Napi::Env env) {
    return DefineClass(env, "ChatFormat", {InstanceMethod<&ChatFormat::parse>("parse")});
}

Napi::Value ChatFormat::render(const Napi::Object & model, const common_chat_templates * templates,
                               const Napi::Object & inputs) {
    const auto request = std::make_shared<Request>(readRequest(inputs));
    const auto apply = [templates, request] {
        return Rendered{common_chat_templates_apply(templates, readJson(*request)), request->continues};
    };
    const auto toFormat = [](Napi::Env env, Rendered & rendered) -> Napi::Value {
        const auto constructor = AddonData::of(env).chat_format.Value();
        return constructor.New({Napi::External<Rendered>::New(env, &rendered)});
    };
    return PromiseWorker<Rendered>::run(model, apply, toFormat);
}

ChatFormat::ChatFormat(const Napi::CallbackInfo & info) : Napi::ObjectWrap<ChatFormat>(info) {
    const auto env = info.Env();
    if (!info[0].IsExternal()) throw Napi::TypeError::New(env, "a chat format comes from applyTemplate");
    const Rendered & rendered = *info[0].As<Napi::External<Rendered>>().Data();
    const common_chat_params & params = rendered.params;

    parser_ = common_chat_parser_params(params);
    parser_.reasoning_format = COMMON_REASONING_FORMAT_DEEPSEEK;
    parser_.is_continuation = rendered.continues;
    if (!params.parser.empty()) parser_.parser.load(params.parser);

    auto self = info.This().As<Napi::Object>();
    self.Set("format", common_chat_format_name(params.format));
    self.Set("prompt", params.prompt);
    self.Set("generationPrompt", params.generation_prompt);
    self.Set("grammar", params.grammar);
    self.Set("grammarLazy", params.grammar_lazy);
    self.Set("grammarTriggers", toArray(env, params.grammar_triggers));
    self.Set("preservedTokens", toArray(env, params.preserved_tokens));
    self.Set("additionalStops", toArray(env, params.additional_stops));
    self.Set("supportsThinking", params.supports_thinking);
    self.Set("thinkingStartTag", params.thinking_start_tag);
    self.Set("thinkingEndTags", toArray(env, params.thinking_end_tags));
}

Napi::Value ChatFormat::parse(const Napi::CallbackInfo & info) {
    const auto env = info.Env();
    const auto message = common_chat_parse(stringArg(info[0], "text"), boolArg(info[1], "isPartial"), parser_);

    auto calls = Napi::Array::New(env, message.tool_calls.size());
    for (size_t i = 0; i < message.tool_calls.size(); i++) {
        auto call = Napi::Object::New(env);
        call.Set("id", message.tool_calls[i].id);
        call.Set("name", message.tool_calls[i].name);
        call.Set("arguments", message.tool_calls[i].arguments);
        calls.Set(i, call);
    }
    auto result = Napi::Object::New(env);
    result.Set("content", message.content);
    result.Set("reasoning", message.reasoning_content);
    result.Set("toolCalls", calls);
    return result;
}
