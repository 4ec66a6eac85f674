#pragma once

#include <napi.h>

#include <functional>
#include <utility>

// Runs work off the main thread and settles a promise with what it makes. `keep` and what it holds stay alive meanwhile.
template <typename Result> class PromiseWorker : public Napi::AsyncWorker {
  public:
    using Work = std::function<Result()>;
    using Convert = std::function<Napi::Value(Napi::Env, Result &)>;

    // Exceptions of `work` reject the promise with their words.
    static Napi::Value run(const Napi::Object & keep, Work work, Convert convert) {
        auto * worker = new PromiseWorker(keep, std::move(work), std::move(convert));
        const auto promise = worker->deferred_.Promise();
        worker->Queue(); // deletes itself when done
        return promise;
    }

  protected:
    void Execute() override { result_ = work_(); }

    void OnOK() override {
        try {
            deferred_.Resolve(convert_(Env(), result_));
        } catch (const std::exception & error) {
            deferred_.Reject(Napi::Error::New(Env(), error.what()).Value());
        }
    }

    void OnError(const Napi::Error & error) override { deferred_.Reject(error.Value()); }

  private:
    PromiseWorker(const Napi::Object & keep, Work work, Convert convert)
        : Napi::AsyncWorker(keep.Env(), "inferd-work"), work_(std::move(work)), convert_(std::move(convert)),
          keep_(Napi::Persistent(keep)), deferred_(Napi::Promise::Deferred::New(keep.Env())) {}

    Work work_;
    Convert convert_;
    Napi::ObjectReference keep_;
    Napi::Promise::Deferred deferred_;
    Result result_;
};
