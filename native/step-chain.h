#pragma once

#include "step.h"

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>

// Steps that one thread runs, each behind the other. While it runs one, another can wait; results are settled on the main thread.
class StepChain : public std::enable_shared_from_this<StepChain> {
  public:
    // Runs a step on a thread of JavaScript's pool.
    static std::shared_ptr<StepChain> start(std::unique_ptr<Step> first);

    // Makes a step wait behind the one that runs. Returns false if the thread has ended. Throws where one waits, and as `Step::next`.
    bool add(const Napi::Promise::Deferred & deferred);

    // The step that waits is skipped.
    void drop();

  private:
    class Runner;
    class Messenger;

    void run();
    bool goOn();
    void awaitEnd(size_t number);
    void settleEnded();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::unique_ptr<Step>> steps_; // that are not settled, in their order
    Step * running_ = nullptr;                // the last one that began; it may have ended
    size_t begun_ = 1;                        // steps, with that one
    Step * waiting_ = nullptr;
    size_t ended_ = 0; // of `steps_`, the first ones
    bool has_begun_ = false;
    bool is_over_ = false;
};
