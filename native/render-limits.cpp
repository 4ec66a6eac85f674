#include "render-limits.h"

#include "work-thread.h"

#include <ctime>

namespace {

// Limit of all intermediate texts together, as a multiple of the limit of one text.
constexpr size_t MADE_PER_TEXT = 128;
// Time after which a rendering lowers its priority, for answers and shorter renderings.
constexpr int64_t LONG_NS = 100'000'000;
// Stack that a rendering may use. The rest is for calls between two checks.
constexpr ptrdiff_t STACK_BYTES = WORK_STACK_BYTES * 3 / 4;

thread_local RenderScope * current = nullptr;

// Returns the CPU time of this thread. By the clock, a rendering may take longer on a busy machine.
int64_t cpuTimeNs() {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * int64_t{1'000'000'000} + time.tv_nsec;
}

} // namespace

const char * RenderStopped::what() const {
    switch (reason) {
        case CANCELLED: return "it was cancelled";
        case TIME: return "it takes too long";
        case SIZE: return "it makes too much text";
        case DEPTH: return "its macros call each other too deeply";
    }
    return "unknown";
}

RenderLimits::RenderLimits(double cpu_ms, size_t text_bytes)
    : cpu_limit_ns_(static_cast<int64_t>(cpu_ms * 1e6)), text_limit_bytes_(text_bytes) {}

RenderScope::RenderScope(RenderLimits & limits)
    : limits_(limits), started_ns_(cpuTimeNs()), stack_(static_cast<const char *>(__builtin_frame_address(0))) {
    checkThis();
    current = this;
}

RenderScope::~RenderScope() {
    current = nullptr;
    limits_.cpu_used_ns_ += cpuTimeNs() - started_ns_;
}

void RenderScope::check() {
    if (current != nullptr) current->checkThis();
}

void RenderScope::checkText(size_t bytes) {
    if (current == nullptr) return;
    const size_t limit = current->limits_.text_limit_bytes_;
    current->made_bytes_ += bytes;
    if (bytes > limit || current->made_bytes_ > limit * MADE_PER_TEXT) throw RenderStopped{RenderStopped::SIZE};
}

void RenderScope::checkThis() {
    if (limits_.cancelled_) throw RenderStopped{RenderStopped::CANCELLED};
    const int64_t used_ns = cpuTimeNs() - started_ns_;
    if (limits_.cpu_used_ns_ + used_ns > limits_.cpu_limit_ns_) throw RenderStopped{RenderStopped::TIME};
    if (stack_ - static_cast<const char *>(__builtin_frame_address(0)) > STACK_BYTES) {
        throw RenderStopped{RenderStopped::DEPTH};
    }
    if (is_long_ || used_ns < LONG_NS) return;
    is_long_ = true;
    lowerThreadPriority();
}
