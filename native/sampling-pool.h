#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

// A few threads that stay and share the work of one step's sampling. Threads of its own, because llama.cpp's are gone or
// asleep between two decodes.
class SamplingPool {
  public:
    explicit SamplingPool(int helpers);
    ~SamplingPool();

    // Calls work(0) … work(count - 1), each once, on the helpers and the calling thread; returns when all are done. work
    // must not throw.
    void run(size_t count, const std::function<void(size_t)> & work);

  private:
    void help();
    void drain(std::unique_lock<std::mutex> & lock);

    std::mutex mutex_;
    std::condition_variable started_;
    std::condition_variable finished_;
    const std::function<void(size_t)> * work_ = nullptr;
    size_t next_ = 0;
    size_t count_ = 0;
    size_t running_ = 0;
    bool stopping_ = false;
    std::vector<std::thread> threads_;
};
