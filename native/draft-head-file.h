#pragma once

#include <string>

// Returns whether the file, or another part of its model, holds a draft head (multi-token prediction) that this addon
// can use: one block of a tested architecture. False for an unreadable file. llama.cpp would abort on heads that it
// does not expect.
bool holdsDraftHead(const std::string & path);
