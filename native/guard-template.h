#pragma once

#include "jinja/runtime.h"

// Puts checks of RenderScope into a parsed template: wherever it can repeat or call itself, and around each expression
// that makes a value. llama.cpp's template engine has no limits.
void guardTemplate(jinja::program & program);
