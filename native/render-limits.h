#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

// Limits of one request's renderings together. Any thread may cancel; one thread renders at a time.
class RenderLimits {
  public:
    RenderLimits(double cpu_ms, size_t text_bytes);

    void cancel() { cancelled_ = true; }

  private:
    friend class RenderScope;

    const int64_t cpu_limit_ns_;
    const size_t text_limit_bytes_;
    std::atomic<bool> cancelled_ = false;
    int64_t cpu_used_ns_ = 0;
};

// Reason why a rendering was stopped. Not a std::exception, which the template engine would catch and reword at every
// level.
struct RenderStopped {
    enum Reason { CANCELLED, TIME, SIZE, DEPTH } reason;

    const char * what() const;
};

// Applies these limits to this thread's rendering while it lives. The checks do nothing on threads without one.
class RenderScope {
  public:
    explicit RenderScope(RenderLimits & limits);
    ~RenderScope();
    RenderScope(const RenderScope &) = delete;

    // Throws RenderStopped if the rendering was cancelled, has used up its time or calls itself too deeply.
    static void check();
    // Throws RenderStopped if a text of this size, or all texts together, exceed the limit.
    static void checkText(size_t bytes);

  private:
    void checkThis();

    RenderLimits & limits_;
    const int64_t started_ns_;
    const char * const stack_;
    size_t made_bytes_ = 0;
    bool is_long_ = false;
};
