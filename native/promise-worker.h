#pragma once

#include <napi.h>

#include "work-thread.h"

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

// Exception of which JavaScript sees `code`, and also `index` if one of several things is wrong.
struct CodedError : std::runtime_error {
    CodedError(const char * code, const std::string & message, std::optional<int> index = std::nullopt)
        : std::runtime_error(message), code(code), index(index) {}

    const char * code; // may be null
    std::optional<int> index;
};

inline Napi::Error toError(Napi::Env env, const CodedError & error) {
    auto result = Napi::Error::New(env, error.what());
    if (error.code != nullptr) result.Set("code", Napi::String::New(env, error.code));
    if (error.index) result.Set("index", Napi::Number::New(env, *error.index));
    return result;
}

// Runs work on a separate thread and settles a promise with its result. `keep` and everything that it holds stay alive
// meanwhile. `leave` runs on the main thread after the work, before the promise is settled.
template <typename Result> class PromiseWorker {
  public:
    using Work = std::function<Result()>;
    using Convert = std::function<Napi::Value(Napi::Env, Result &)>;
    using Leave = std::function<void()>;

    // Rejects the promise with the message of an exception that `work` throws.
    static Napi::Value run(const Napi::Object & keep, Work work, Convert convert, Leave leave = [] {}) {
        auto worker = std::unique_ptr<PromiseWorker>(
            new PromiseWorker(keep, std::move(work), std::move(convert), std::move(leave)));
        const auto promise = worker->deferred_.Promise();
        worker->start();
        worker.release(); // deletes itself when done
        return promise;
    }

  private:
    PromiseWorker(const Napi::Object & keep, Work work, Convert convert, Leave leave)
        : env_(keep.Env()), work_(std::move(work)), convert_(std::move(convert)), leave_(std::move(leave)),
          keep_(Napi::Persistent(keep)), deferred_(Napi::Promise::Deferred::New(keep.Env())) {}

    void start() {
        const auto name = Napi::String::New(env_, "inferd-work");
        const auto status =
            napi_create_threadsafe_function(env_, nullptr, nullptr, name, 0, 1, nullptr, nullptr, this, settle, &settle_);
        if (status != napi_ok) throw Napi::Error::New(env_, "no thread can report to JavaScript");
        try {
            startWorkThread([this] { execute(); });
        } catch (const std::exception & error) {
            napi_release_threadsafe_function(settle_, napi_tsfn_release);
            throw Napi::Error::New(env_, error.what());
        }
    }

    void execute() {
        try {
            result_ = work_();
        } catch (const CodedError & error) {
            error_ = error;
        } catch (const std::exception & error) {
            error_ = CodedError(nullptr, error.what());
        }
        const auto settle = settle_; // `this` may be gone after the call
        napi_call_threadsafe_function(settle, nullptr, napi_tsfn_blocking);
        napi_release_threadsafe_function(settle, napi_tsfn_release);
    }

    static void settle(napi_env raw_env, napi_value, void * context, void *) {
        const std::unique_ptr<PromiseWorker> worker(static_cast<PromiseWorker *>(context));
        if (raw_env == nullptr) return; // the process ends
        const Napi::Env env(raw_env);
        const Napi::HandleScope scope(env);
        worker->leave_();
        if (!worker->result_) return worker->reject(worker->error_);
        try {
            worker->deferred_.Resolve(worker->convert_(env, *worker->result_));
        } catch (const std::exception & error) {
            worker->reject(CodedError(nullptr, error.what()));
        }
    }

    void reject(const CodedError & error) { deferred_.Reject(toError(env_, error).Value()); }

    Napi::Env env_;
    Work work_;
    Convert convert_;
    Leave leave_;
    Napi::ObjectReference keep_;
    Napi::Promise::Deferred deferred_;
    napi_threadsafe_function settle_ = nullptr;
    std::optional<Result> result_;
    CodedError error_ = CodedError(nullptr, "");
};
