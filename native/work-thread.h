#pragma once

#include <cstddef>
#include <functional>

constexpr size_t WORK_STACK_BYTES = 8 << 20;

// Runs work on a new thread. JavaScript's pool has few threads, and the decoder's steps need one of them: work that
// may take seconds must not wait there, nor make steps wait. Throws std::runtime_error when the system has no thread left.
void startWorkThread(std::function<void()> work);

// The rest of this thread's work yields to other threads.
void lowerThreadPriority();
