#pragma once

#include <string>

// Whether the file, or another part of its model, holds a draft head (multi-token prediction) that this addon can use: one block of an
// architecture that was tried. False for a file that cannot be read. llama.cpp would abort on heads that it does not expect.
bool holdsDraftHead(const std::string & path);
