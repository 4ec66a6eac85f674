#include "json-text.h"

#include <stdexcept>

// Deepest JSON. Templates, schema converter and JSON printer recurse, and use little of the stack at this depth.
static constexpr int MAX_JSON_DEPTH = 100;

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
