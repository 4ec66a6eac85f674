#include "args.h"

#include <cmath>

[[noreturn]] static void throwType(const Napi::Value & value, const char * name, const char * expected) {
    throw Napi::TypeError::New(value.Env(), std::string(name) + " must be " + expected);
}

[[noreturn]] void throwRange(Napi::Env env, const std::string & message) {
    throw Napi::RangeError::New(env, message);
}

Napi::Object objectArg(const Napi::Value & value, const char * name) {
    if (!value.IsObject()) throwType(value, name, "an object");
    return value.As<Napi::Object>();
}

std::string stringArg(const Napi::Value & value, const char * name) {
    if (!value.IsString()) throwType(value, name, "a string");
    return value.As<Napi::String>().Utf8Value();
}

bool boolArg(const Napi::Value & value, const char * name) {
    if (!value.IsBoolean()) throwType(value, name, "a boolean");
    return value.As<Napi::Boolean>().Value();
}

double numberArg(const Napi::Value & value, const char * name) {
    if (!value.IsNumber()) throwType(value, name, "a number");
    const double number = value.As<Napi::Number>().DoubleValue();
    if (!std::isfinite(number)) throwRange(value.Env(), std::string(name) + " must be a finite number");
    return number;
}

int32_t intArg(const Napi::Value & value, const char * name, int32_t min, int32_t max) {
    const double number = numberArg(value, name);
    if (number != std::floor(number) || number < min || number > max) {
        throwRange(value.Env(), std::string(name) + " must be a whole number from " + std::to_string(min) + " to " +
                                    std::to_string(max) + ", not " + value.ToString().Utf8Value());
    }
    return static_cast<int32_t>(number);
}

Napi::Array arrayArg(const Napi::Value & value, const char * name) {
    if (!value.IsArray()) throwType(value, name, "an array");
    return value.As<Napi::Array>();
}

std::vector<std::string> stringsArg(const Napi::Value & value, const char * name) {
    const auto array = arrayArg(value, name);
    std::vector<std::string> strings;
    for (uint32_t i = 0; i < array.Length(); i++) strings.push_back(stringArg(array.Get(i), name));
    return strings;
}

template <typename Array>
static Array typedArrayArg(const Napi::Value & value, const char * name, napi_typedarray_type type, const char * expected) {
    if (!value.IsTypedArray() || value.As<Napi::TypedArray>().TypedArrayType() != type) throwType(value, name, expected);
    return value.As<Array>();
}

Napi::Int32Array int32ArrayArg(const Napi::Value & value, const char * name) {
    return typedArrayArg<Napi::Int32Array>(value, name, napi_int32_array, "an Int32Array");
}

Napi::Float32Array float32ArrayArg(const Napi::Value & value, const char * name) {
    return typedArrayArg<Napi::Float32Array>(value, name, napi_float32_array, "a Float32Array");
}

Napi::Uint8Array uint8ArrayArg(const Napi::Value & value, const char * name) {
    return typedArrayArg<Napi::Uint8Array>(value, name, napi_uint8_array, "a Uint8Array");
}

Napi::Object instanceArg(const Napi::Value & value, const char * name, const Napi::FunctionReference & made_by,
                         const char * expected) {
    const auto object = objectArg(value, name);
    if (!object.InstanceOf(made_by.Value())) throwType(value, name, expected);
    return object;
}
