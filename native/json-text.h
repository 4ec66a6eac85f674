#pragma once

#include "json.h"

#include <string>

// Parses JSON whose nesting llama.cpp's recursive functions can stand. Throws std::runtime_error with `name` in it.
common_json parseJson(const std::string & text, const char * name);
