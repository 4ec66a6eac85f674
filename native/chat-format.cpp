#include "chat-format.h"

#include "addon-data.h"
#include "args.h"
#include "json-text.h"
#include "promise-worker.h"

#include "chat-peg-parser.h"

#include <memory>
#include <stdexcept>

namespace {

// Inputs with checked types. Their JSON is not read yet.
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
    result.tool_choice = choiceField<common_chat_tool_choice>(inputs, "toolChoice",
                                                              {{"auto", COMMON_CHAT_TOOL_CHOICE_AUTO},
                                                               {"required", COMMON_CHAT_TOOL_CHOICE_REQUIRED},
                                                               {"none", COMMON_CHAT_TOOL_CHOICE_NONE}});
    result.parallel_tool_calls = field(inputs, "parallelToolCalls", boolArg);
    // A parser that expects thinking also reads answers without it.
    const bool is_undecided = inputs.Get("enableThinking").IsUndefined();
    result.enable_thinking = is_undecided || field(inputs, "enableThinking", boolArg);
    if (is_undecided) result.chat_template_kwargs[THINKING_UNDECIDED] = "true";
    result.add_generation_prompt = field(inputs, "addGenerationPrompt", boolArg);
    const auto variables = field(inputs, "templateVariables", objectArg);
    const auto names = variables.GetPropertyNames();
    for (uint32_t i = 0; i < names.Length(); i++) {
        const std::string name = names.Get(i).ToString().Utf8Value();
        result.chat_template_kwargs[name] = stringArg(variables.Get(name), name.c_str());
    }
    return request;
}

// Reads the JSON, off the main thread since it may be long.
const common_chat_templates_inputs & readJson(Request & request) {
    auto & result = request.inputs;
    result.messages = common_chat_msgs_parse_oaicompat(parseJson(request.messages_json, "messages"));
    if (result.messages.empty()) throw std::runtime_error("messages must not be empty");
    if (!request.tools_json.empty()) {
        result.tools = common_chat_tools_parse_oaicompat(parseJson(request.tools_json, "tools"));
    }
    for (const auto & [name, value] : result.chat_template_kwargs) parseJson(value, name.c_str());
    if (request.continues) {
        if (!result.messages.back().tool_calls.empty()) {
            throw std::runtime_error("a message that calls tools cannot be continued");
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

Napi::Array toStrings(Napi::Env env, const std::vector<std::string> & strings) {
    return toArray(env, strings, [](const std::string & string) { return string; });
}

Napi::Object toTrigger(Napi::Env env, const common_grammar_trigger & trigger) {
    auto object = Napi::Object::New(env);
    object.Set("type", triggerType(trigger.type));
    object.Set("value", trigger.value);
    return object;
}

Napi::Object toCall(Napi::Env env, const common_chat_tool_call & call) {
    auto object = Napi::Object::New(env);
    object.Set("name", call.name);
    object.Set("arguments", call.arguments);
    return object;
}

std::unique_ptr<common_chat_peg_mapper> mapperOf(common_chat_format format, common_chat_msg & message) {
    if (format == COMMON_CHAT_FORMAT_PEG_GEMMA4) return std::make_unique<common_chat_peg_gemma4_mapper>(message);
    if (format == COMMON_CHAT_FORMAT_PEG_MINIMAX_M3) return std::make_unique<common_chat_peg_minimax_m3_mapper>(message);
    return std::make_unique<common_chat_peg_mapper>(message);
}

// Last piece that was read of an answer, in bytes of the parser's input.
struct LastPiece {
    const char * kind = nullptr;
    size_t start = 0;
    size_t end = 0;
};

const char * pieceKind(const std::string & tag) {
    if (tag == common_chat_peg_builder::CONTENT) return "text";
    if (tag == common_chat_peg_builder::REASONING) return "reasoning";
    if (tag == common_chat_peg_builder::TOOL_ARGS) return "arguments";
    if (tag == common_chat_peg_builder::TOOL_ARG_STRING_VALUE) return "string-argument";
    return nullptr;
}

// Returns the last piece, the inner one of nested pieces.
LastPiece lastPiece(const common_peg_ast_arena & ast, const common_peg_parse_result & result) {
    LastPiece last;
    ast.visit(result, [&](const common_peg_ast_node & node) {
        const char * kind = pieceKind(node.tag);
        if (kind == nullptr || node.end < last.end || (node.end == last.end && node.start < last.start)) return;
        last = {kind, node.start, node.end};
    });
    return last;
}

// Returns the length of the text's first `bytes` bytes in UTF-16 units, as JavaScript counts. Negative for a place
// before the text.
double toUnits(const std::string & text, double bytes) {
    if (bytes <= 0) return bytes;
    double units = 0;
    for (size_t i = 0; i < text.size() && i < static_cast<size_t>(bytes); i++) {
        const auto byte = static_cast<uint8_t>(text[i]);
        if ((byte & 0xC0) != 0x80) units += byte >= 0xF0 ? 2 : 1;
    }
    return units;
}

// Deepest nesting of JSON, whose reading recurses. It uses a fraction of the main thread's stack.
constexpr int MAX_ANSWER_DEPTH = 500;

// Counts brackets inside strings too, since only the parser knows where strings begin.
bool isTooDeep(const std::string & answer) {
    int depth = 0;
    for (const char c : answer) {
        if (c == '{' || c == '[') depth++;
        else if ((c == '}' || c == ']') && depth > 0) depth--;
        if (depth > MAX_ANSWER_DEPTH) return true;
    }
    return false;
}

// Passed from render to the constructor, which only JavaScript can call.
struct Rendered {
    common_chat_params params;
    common_peg_arena parser;
    bool continues = false;
};

} // namespace

Napi::Function ChatFormat::define(Napi::Env env) {
    return DefineClass(env, "ChatFormat", {InstanceMethod<&ChatFormat::parse>("parse")});
}

Napi::Value ChatFormat::render(const Napi::Object & model, const Templates & templates, const Napi::Object & inputs,
                               const std::shared_ptr<RenderLimits> & limits) {
    const auto request = std::make_shared<Request>(readRequest(inputs));
    const auto apply = [templates, request, limits] {
        auto & loaded = templates();
        try {
            const RenderScope scope(*limits);
            Rendered rendered{loaded.apply(readJson(*request)), {}, request->continues};
            RenderScope::checkText(rendered.params.prompt.size());
            // Off the main thread, since with many tools this takes as long as the rest.
            if (!rendered.params.parser.empty()) rendered.parser.load(rendered.params.parser);
            return rendered;
        } catch (const RenderStopped & stopped) {
            throw CodedError("RENDER_STOPPED", stopped.what());
        }
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
    Rendered & rendered = *info[0].As<Napi::External<Rendered>>().Data();
    const common_chat_params & params = rendered.params;

    parser_ = common_chat_parser_params(params);
    parser_.reasoning_format = COMMON_REASONING_FORMAT_DEEPSEEK;
    parser_.is_continuation = rendered.continues;
    parser_.parser = std::move(rendered.parser);

    auto self = info.This().As<Napi::Object>();
    self.Set("prompt", params.prompt);
    self.Set("generationPrompt", params.generation_prompt);
    self.Set("grammar", params.grammar);
    self.Set("grammarLazy", params.grammar_lazy);
    self.Set("grammarTriggers", toArray(env, params.grammar_triggers,
                                        [&](const auto & trigger) { return toTrigger(env, trigger); }));
    self.Set("preservedTokens", toStrings(env, params.preserved_tokens));
    self.Set("additionalStops", toStrings(env, params.additional_stops));
    self.Set("thinkingStartTag", params.thinking_start_tag);
    self.Set("thinkingEndTags", toStrings(env, params.thinking_end_tags));
}

// llama.cpp's own function for this does not tell whether a partial answer can still become a valid one.
Napi::Value ChatFormat::parse(const Napi::CallbackInfo & info) {
    const auto env = info.Env();
    const std::string text = stringArg(info[0], "text");
    common_chat_msg message;
    bool fits = true;
    bool complete = true;
    LastPiece last;
    if (parser_.parser.empty()) {
        message.content = text;
        last = {"text", parser_.generation_prompt.size(), parser_.generation_prompt.size() + text.size()};
    } else {
        const std::string answer = parser_.generation_prompt + text;
        common_peg_parse_context context(answer, COMMON_PEG_PARSE_FLAG_LENIENT);
        common_peg_parse_result result; // a failure
        if (!isTooDeep(answer)) result = parser_.parser.parse(context);
        fits = !result.fail();
        complete = result.success();
        if (fits) {
            mapperOf(parser_.format, message)->from_ast(context.ast, result);
            last = lastPiece(context.ast, result);
        }
    }

    auto result = Napi::Object::New(env);
    result.Set("content", message.content);
    result.Set("reasoning", message.reasoning_content);
    result.Set("toolCalls", toArray(env, message.tool_calls, [&](const auto & call) { return toCall(env, call); }));
    result.Set("fits", fits);
    result.Set("isComplete", complete);
    if (last.kind != nullptr) {
        const double before = parser_.generation_prompt.size();
        auto piece = Napi::Object::New(env);
        piece.Set("kind", last.kind);
        piece.Set("start", toUnits(text, last.start - before));
        piece.Set("end", toUnits(text, last.end - before));
        result.Set("last", piece);
    }
    return result;
}
