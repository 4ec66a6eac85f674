#pragma once

#include "json.h"

#include <string>

// Parses JSON that is not nested too deeply for llama.cpp's recursive functions. Throws a
// std::runtime_error that holds `name`.
common_json parseJson(const std::string & text, const char * name);
