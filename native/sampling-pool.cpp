#include "sampling-pool.h"

#include <algorithm>

SamplingPool::SamplingPool(int helpers) {
    for (int i = 0; i < helpers; i++) threads_.emplace_back([this] { help(); });
}

SamplingPool::~SamplingPool() {
    {
        std::lock_guard<std::mutex> lock(mutex_);
        stopping_ = true;
    }
    started_.notify_all();
    for (auto & thread : threads_) thread.join();
}

void SamplingPool::run(size_t count, bool is_shared, const Work & work) {
    if (!is_shared) {
        for (size_t item = 0; item < count; item++) work(item, memory_);
        return;
    }
    std::unique_lock<std::mutex> lock(mutex_);
    work_ = &work;
    next_ = 0;
    count_ = count;
    for (size_t helpers = std::min(count - 1, threads_.size()); helpers > 0; helpers--) started_.notify_one();
    drain(lock, memory_);
    finished_.wait(lock, [this] { return running_ == 0; });
    work_ = nullptr;
}

void SamplingPool::help() {
    RowMemory memory;
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
        started_.wait(lock, [this] { return stopping_ || (work_ != nullptr && next_ < count_); });
        if (stopping_) return;
        drain(lock, memory);
        if (running_ == 0) finished_.notify_one();
    }
}

// Takes items until none is left. Called with the lock held, and returns with it.
void SamplingPool::drain(std::unique_lock<std::mutex> & lock, RowMemory & memory) {
    while (next_ < count_) {
        const size_t item = next_++;
        const auto & work = *work_;
        running_++;
        lock.unlock();
        work(item, memory);
        lock.lock();
        running_--;
    }
}
