#include "work-thread.h"

#include <memory>
#include <pthread.h>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

constexpr int LOW_PRIORITY = 10;

void * runWork(void * argument) {
    const std::unique_ptr<std::function<void()>> work(static_cast<std::function<void()> *>(argument));
    (*work)();
    return nullptr;
}

} // namespace

void startWorkThread(std::function<void()> work) {
    auto owned = std::make_unique<std::function<void()>>(std::move(work));
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, WORK_STACK_BYTES);
    pthread_t thread;
    const int status = pthread_create(&thread, &attributes, runWork, owned.get());
    pthread_attr_destroy(&attributes);
    if (status != 0) throw std::runtime_error("the system has no thread left");
    owned.release(); // the thread's
}

void lowerThreadPriority() {
    setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), LOW_PRIORITY);
}
