#pragma once

#include <napi.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

// Reads JavaScript arguments. Every reader throws a TypeError (wrong type) or RangeError (out of range) that names the
// argument, so that no unchecked value reaches llama.cpp, which aborts on many of them.

Napi::Object objectArg(const Napi::Value & value, const char * name);
std::string stringArg(const Napi::Value & value, const char * name);
bool boolArg(const Napi::Value & value, const char * name);
double numberArg(const Napi::Value & value, const char * name);
int32_t intArg(const Napi::Value & value, const char * name, int32_t min, int32_t max);
Napi::Array arrayArg(const Napi::Value & value, const char * name);
std::vector<std::string> stringsArg(const Napi::Value & value, const char * name);
Napi::Int32Array int32ArrayArg(const Napi::Value & value, const char * name);
Napi::Float32Array float32ArrayArg(const Napi::Value & value, const char * name);
Napi::Uint8Array uint8ArrayArg(const Napi::Value & value, const char * name);

// Returns an object that one of this addon's classes made, such as "a Model".
Napi::Object instanceArg(const Napi::Value & value, const char * name, const Napi::FunctionReference & made_by,
                         const char * expected);

[[noreturn]] void throwRange(Napi::Env env, const std::string & message);

template <typename Result, typename... Extra>
Result field(const Napi::Object & object, const char * name, Result (*read)(const Napi::Value &, const char *, Extra...),
             Extra... extra) {
    return read(object.Get(name), name, extra...);
}

template <typename Item, typename Convert>
Napi::Array toArray(Napi::Env env, const std::vector<Item> & items, Convert convert) {
    auto array = Napi::Array::New(env, items.size());
    for (size_t i = 0; i < items.size(); i++) array.Set(i, convert(items[i]));
    return array;
}

// Reads a field that holds one of a few words, each of which stands for a value.
template <typename Value>
Value choiceField(const Napi::Object & object, const char * name,
                  std::initializer_list<std::pair<const char *, Value>> choices) {
    const std::string word = field(object, name, stringArg);
    std::string expected;
    for (const auto & [choice, value] : choices) {
        if (word == choice) return value;
        expected += (expected.empty() ? "" : ", ") + std::string(choice);
    }
    throw Napi::TypeError::New(object.Env(), std::string(name) + " must be one of " + expected);
}
