#pragma once

#include <napi.h>

// GBNF for texts that keep to a JSON schema, made off the main thread. The promise is rejected with llama.cpp's words when
// it cannot express the schema. `holder` stays alive meanwhile.
Napi::Value schemaGrammar(const Napi::Object & holder, const std::string & schema);
