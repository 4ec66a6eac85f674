#pragma once

#include <napi.h>

#include <cstdint>
#include <string>
#include <vector>

// Reading of JavaScript arguments. Every function throws a TypeError (wrong type) or RangeError (out of range) that names
// the argument, so that no unchecked value reaches llama.cpp, which answers many of them with abort().

Napi::Object objectArg(const Napi::Value & value, const char * name);
std::string stringArg(const Napi::Value & value, const char * name);
bool boolArg(const Napi::Value & value, const char * name);
double numberArg(const Napi::Value & value, const char * name);
int32_t intArg(const Napi::Value & value, const char * name, int32_t min, int32_t max);
Napi::Int32Array int32ArrayArg(const Napi::Value & value, const char * name);
Napi::Float32Array float32ArrayArg(const Napi::Value & value, const char * name);
std::vector<std::string> stringsArg(const Napi::Value & value, const char * name);

[[noreturn]] void throwRange(Napi::Env env, const std::string & message);

template <typename Result, typename... Extra>
Result field(const Napi::Object & object, const char * name, Result (*read)(const Napi::Value &, const char *, Extra...),
             Extra... extra) {
    return read(object.Get(name), name, extra...);
}
