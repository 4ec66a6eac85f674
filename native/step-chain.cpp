#include "step-chain.h"

// Runs the steps.
class StepChain::Runner : public Napi::AsyncWorker {
  public:
    Runner(Napi::Env env, std::shared_ptr<StepChain> chain) : AsyncWorker(env, "inferd-step"), chain_(std::move(chain)) {}

  protected:
    void Execute() override { chain_->run(); }
    void OnOK() override { chain_->settleEnded(); }

  private:
    std::shared_ptr<StepChain> chain_;
};

// Waits for the end of a step, and settles it while the next one runs.
class StepChain::Messenger : public Napi::AsyncWorker {
  public:
    Messenger(Napi::Env env, std::shared_ptr<StepChain> chain, size_t number)
        : AsyncWorker(env, "inferd-step-end"), chain_(std::move(chain)), number_(number) {}

  protected:
    void Execute() override { chain_->awaitEnd(number_); }
    void OnOK() override { chain_->settleEnded(); }

  private:
    std::shared_ptr<StepChain> chain_;
    size_t number_;
};

std::shared_ptr<StepChain> StepChain::start(std::unique_ptr<Step> first) {
    const auto chain = std::make_shared<StepChain>();
    chain->running_ = first.get();
    const auto env = first->env();
    chain->steps_.push_back(std::move(first));
    (new Runner(env, chain))->Queue(); // deletes itself when done
    return chain;
}

bool StepChain::add(const Napi::Promise::Deferred & deferred) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (is_over_) return false;
    if (waiting_ != nullptr) throw Napi::Error::New(deferred.Env(), "a step waits already");
    auto next = running_->next(deferred);
    waiting_ = next.get();
    const auto messenger = new Messenger(deferred.Env(), shared_from_this(), begun_); // deletes itself when done
    steps_.push_back(std::move(next));
    messenger->Queue();
    return true;
}

void StepChain::drop() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (waiting_ != nullptr) waiting_->skip();
}

void StepChain::run() {
    std::unique_lock<std::mutex> lock(mutex_);
    has_begun_ = true;
    lock.unlock();
    running_->run();
    while (goOn()) {
    }
}

// Ends the running step and runs the waiting one. Returns false if none waits.
bool StepChain::goOn() {
    std::unique_lock<std::mutex> lock(mutex_);
    ended_++;
    is_over_ = waiting_ == nullptr;
    Step * const next = waiting_;
    // Once the lock is free, the ended step may be settled and deleted.
    auto tokens = is_over_ ? std::vector<llama_token>() : running_->sampledTokens();
    const StepTimes times = running_->times();
    if (!is_over_) {
        running_ = next;
        begun_++;
        waiting_ = nullptr;
    }
    lock.unlock();
    changed_.notify_all();
    if (next == nullptr) return false;
    next->runBehind(std::move(tokens), times);
    return true;
}

// Waits until the step of this number has ended. Returns at once if none has begun, since the runner may wait for this
// very thread.
void StepChain::awaitEnd(size_t number) {
    std::unique_lock<std::mutex> lock(mutex_);
    if (has_begun_) changed_.wait(lock, [&] { return begun_ > number || is_over_; });
}

void StepChain::settleEnded() {
    while (true) {
        std::unique_ptr<Step> step;
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            if (ended_ == 0) return;
            ended_--;
            step = std::move(steps_.front());
            steps_.pop_front();
        }
        step->settle();
    }
}
