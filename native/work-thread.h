#pragma once

#include <cstddef>
#include <functional>

constexpr size_t WORK_STACK_BYTES = 8 << 20;

// Runs work on a new thread. JavaScript's pool has few threads, one of which the decoder's steps need: work of some
// seconds must neither wait there nor delay steps. Throws std::runtime_error if the system has no thread left.
void startWorkThread(std::function<void()> work);

// Makes the rest of this thread's work yield to other threads.
void lowerThreadPriority();
