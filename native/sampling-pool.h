#pragma once

#include "logit-row.h"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

// Few permanent threads that share the sampling of one step. They are not llama.cpp's threads, which are gone or asleep
// between two decodes.
class SamplingPool {
  public:
    explicit SamplingPool(int helpers);
    ~SamplingPool();

    using Work = std::function<void(size_t item, RowMemory & memory)>;

    // Calls `work` once with each of 0 … count - 1, on the calling thread and if `is_shared` also on the helpers.
    // Returns when all are done. `work` must not throw.
    void run(size_t count, bool is_shared, const Work & work);

  private:
    void help();
    void drain(std::unique_lock<std::mutex> & lock, RowMemory & memory);

    std::mutex mutex_;
    std::condition_variable started_;
    std::condition_variable finished_;
    RowMemory memory_; // of the calling thread
    const Work * work_ = nullptr;
    size_t next_ = 0;
    size_t count_ = 0;
    size_t running_ = 0;
    bool stopping_ = false;
    std::vector<std::thread> threads_;
};
