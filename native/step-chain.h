#pragma once

#include "step.h"

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>

// Steps that one thread runs one after the other. One step can wait while another runs. Results are settled on the main
// thread.
class StepChain : public std::enable_shared_from_this<StepChain> {
  public:
    // Runs a step on a thread of JavaScript's pool.
    static std::shared_ptr<StepChain> start(std::unique_ptr<Step> first);

    // Adds a step after the running one. Returns false if the thread has ended. Throws if one waits already, and as
    // `Step::next` does.
    bool add(const Napi::Promise::Deferred & deferred);

    // Skips the waiting step.
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
