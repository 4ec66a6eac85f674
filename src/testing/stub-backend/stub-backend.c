// A ggml backend whose devices use host memory. It computes by the CPU's backend until its mode makes it fail.
#include "ggml-backend-impl.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// Modes of the stub, chosen at compile time.
#define COMPUTES 0
#define WRONG_NUMBERS 1
#define ABORTS 2
#define HANGS 3
#define OLD_DRIVER 4
#define LACKS_SYMBOL 5
#define OLD_DRIVER_FOR_PTX 6
#define NO_KERNEL 7
#define OUT_OF_MEMORY 8
#define DIES_LATER 9
#define KILLED 10
#define CRASHES_LATER 11
#define LOADS_NO_MORE 12

#ifndef MODE
#define MODE COMPUTES
#endif

// Number of devices, and index of the faulty one.
#ifndef DEVICES
#define DEVICES 1
#endif
#ifndef FAULTY
#define FAULTY 0
#endif

#if MODE == LACKS_SYMBOL
extern int cuNotInThisDriver(void);
#endif

static ggml_backend_t cpu = NULL;
static int computed = 0;
static struct ggml_backend_device devices[DEVICES];

static void fail(const char * reason) {
    // Like ggml-cuda: the reason goes to the log, the line of the source to stderr.
    ggml_log_callback callback = NULL;
    void * data = NULL;
    ggml_log_get(&callback, &data);
    char line[256];
    snprintf(line, sizeof(line), "CUDA error: %s\n", reason);
    callback(GGML_LOG_LEVEL_ERROR, line, data);
    snprintf(line, sizeof(line), "  current device: %d, in function ggml_cuda_mul_mat_q at ggml-cuda/mmq.cu:128\n", FAULTY);
    callback(GGML_LOG_LEVEL_ERROR, line, data);
    ggml_abort("ggml-cuda.cu", 108, "CUDA error");
}

static const char * name(ggml_backend_t backend) { return "CUDA0"; }
static void release(ggml_backend_t backend) { free(backend); }
static enum ggml_status on_cpu(struct ggml_cgraph * graph) {
    if (cpu == NULL) {
        cpu = ggml_backend_init_by_type(GGML_BACKEND_DEVICE_TYPE_CPU, NULL);
        // Several threads would spin while they wait for each other, for seconds on a busy machine.
        ggml_backend_reg_t reg = ggml_backend_dev_backend_reg(ggml_backend_get_device(cpu));
        ggml_backend_set_n_threads_t set = (ggml_backend_set_n_threads_t) ggml_backend_reg_get_proc_address(reg, "ggml_backend_set_n_threads");
        set(cpu, 1);
    }
    return ggml_backend_graph_compute(cpu, graph);
}

static enum ggml_status compute(ggml_backend_t backend, struct ggml_cgraph * graph) {
    computed++;
    if (backend->device != &devices[FAULTY]) return on_cpu(graph);
    if (MODE == WRONG_NUMBERS) return GGML_STATUS_SUCCESS;
    if (MODE == ABORTS) abort();
    if (MODE == KILLED) raise(SIGKILL);
    if (MODE == HANGS) for (;;) pause();
    if (MODE == OLD_DRIVER_FOR_PTX) fail("the provided PTX was compiled with an unsupported toolchain.");
    if (MODE == NO_KERNEL) fail("no kernel image is available for execution on the device");
    if (MODE == OUT_OF_MEMORY) fail("out of memory");
    if (MODE == CRASHES_LATER && access(STUB_DIES, F_OK) == 0) raise(SIGSEGV);
    // The probe must succeed first: `STUB_DIES` names a file that exists from the failure on.
    if (MODE == DIES_LATER && access(STUB_DIES, F_OK) == 0) fail("an illegal memory access was encountered");
    return on_cpu(graph);
}

static ggml_guid guid = { 0x5b };
static const char * device_name(ggml_backend_dev_t device) { return device == &devices[0] ? "CUDA0" : "CUDA1"; }
static const char * description(ggml_backend_dev_t device) { return "Stub H200"; }
static void memory(ggml_backend_dev_t device, size_t * free, size_t * total) { *free = *total = (size_t) 8 << 30; }
static enum ggml_backend_dev_type type(ggml_backend_dev_t device) { return GGML_BACKEND_DEVICE_TYPE_GPU; }
static void properties(ggml_backend_dev_t device, struct ggml_backend_dev_props * props) {
    props->name = device_name(device);
    props->description = description(device);
    props->type = type(device);
    memory(device, &props->memory_free, &props->memory_total);
}
static ggml_backend_t make(ggml_backend_dev_t device, const char * params) {
    if (MODE == LOADS_NO_MORE && access(STUB_DIES, F_OK) == 0) raise(SIGSEGV);
    struct ggml_backend * backend = calloc(1, sizeof(*backend));
    backend->guid = &guid;
    backend->iface.get_name = name;
    backend->iface.free = release;
    backend->iface.graph_compute = compute;
    backend->device = device;
    return backend;
}
static ggml_backend_buffer_type_t buffers(ggml_backend_dev_t device) { return ggml_backend_cpu_buffer_type(); }
static bool supports_op(ggml_backend_dev_t device, const struct ggml_tensor * op) { return true; }
static bool supports_buft(ggml_backend_dev_t device, ggml_backend_buffer_type_t type) { return ggml_backend_buft_is_host(type); }

static const char * reg_name(ggml_backend_reg_t reg) { return "CUDA"; }
static size_t device_count(ggml_backend_reg_t reg) { return MODE == OLD_DRIVER ? 0 : DEVICES; }
static ggml_backend_dev_t get_device(ggml_backend_reg_t reg, size_t index) {
    devices[index].iface.get_name = device_name;
    devices[index].iface.get_description = description;
    devices[index].iface.get_memory = memory;
    devices[index].iface.get_type = type;
    devices[index].iface.get_props = properties;
    devices[index].iface.init_backend = make;
    devices[index].iface.get_buffer_type = buffers;
    devices[index].iface.supports_op = supports_op;
    devices[index].iface.supports_buft = supports_buft;
    devices[index].reg = reg;
    return &devices[index];
}

GGML_BACKEND_API ggml_backend_reg_t ggml_backend_init(void);
ggml_backend_reg_t ggml_backend_init(void) {
    static struct ggml_backend_reg reg = { .api_version = GGML_BACKEND_API_VERSION };
    reg.iface.get_name = reg_name;
    reg.iface.get_device_count = device_count;
    reg.iface.get_device = get_device;
#if MODE == LACKS_SYMBOL
    cuNotInThisDriver();
#endif
    if (MODE == OLD_DRIVER) {
        ggml_log_callback callback = NULL;
        void * data = NULL;
        ggml_log_get(&callback, &data);
        callback(GGML_LOG_LEVEL_ERROR,
                 "ggml_cuda_init: failed to initialize CUDA: CUDA driver version is insufficient for CUDA runtime version\n", data);
    }
    return &reg;
}
