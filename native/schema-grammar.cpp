#include "schema-grammar.h"

#include "json-schema-to-grammar.h"
#include "json-text.h"
#include "promise-worker.h"

Napi::Value schemaGrammar(const Napi::Object & holder, const std::string & schema) {
    const auto convert = [schema] { return json_schema_to_grammar(parseJson(schema, "the schema"), /* force_gbnf */ true); };
    const auto toString = [](Napi::Env env, std::string & grammar) -> Napi::Value { return Napi::String::New(env, grammar); };
    return PromiseWorker<std::string>::run(holder, convert, toString);
}
