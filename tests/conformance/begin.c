/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "begin.h"

#include <time.h>

#include "backend.h"
#include "check.h"
#include "tests/support/ptx.h"

/* How long a gate stays shut, so that calls which do not wait have returned by then. */
enum { SHUT_MS = 50 };

/* The most latches of one case. */
enum { MOST_LATCHES = 64 };
static struct latch latches[MOST_LATCHES];
static size_t latch_count;

/* The PTX for a GPU; a mock knows these kernels by their names. */
static const char image[] =
    PTX_HEAD ".visible .entry cushim_nothing()\n{\n    ret;\n}\n" PTX_SPIN PTX_FAULT
             ".visible .entry cushim_trap()\n{\n    trap;\n    ret;\n}\n";

const char module_image[1024] =
    ".version 6.0\n"
    ".target sm_50\n"
    ".address_size 64\n"
    ".visible .global .align 4 .b8 bytes[12];\n"
    ".visible .global .align 8 .u64 seven = 7;\n"
    ".visible .const .align 4 .u32 five = 5;\n"
    ".global .align 4 .u32 hidden = 3;\n"
    ".visible .entry plain()\n{\n    ret;\n}\n"
    ".visible .entry many(.param .u8 a, .param .u64 b, .param .u16 c,\n"
    "    .param .align 16 .b8 d[24], .param .u32 e)\n{\n    ret;\n}\n"
    ".visible .entry take(.param .u64 p, .param .u32 v)\n{\n    ret;\n}\n"
    ".visible .entry shared()\n{\n"
    "    .shared .align 4 .b8 s[1024];\n"
    "    .reg .u32 %v;\n"
    "    mov.u32 %v, 1;\n"
    "    st.shared.u32 [s], %v;\n"
    "    bar.sync 0;\n"
    "    ret;\n}\n"
    ".visible .entry bounded() .maxntid 64, 1, 1\n{\n    ret;\n}\n"
    ".visible .entry cushim_nothing()\n{\n    ret;\n}\n";

CUdevice begin_device(void)
{
    CUdevice device = -1;

    MUST(cu->Init(0));
    MUST(cu->DeviceGet(&device, 0));
    return device;
}

CUcontext begin_context(void)
{
    CUcontext context = NULL;

    MUST(cu->DevicePrimaryCtxRetain(&context, begin_device()));
    make_current(context);
    return context;
}

CUcontext begin_other_context(void)
{
    CUcontext context = NULL, popped = NULL;

    MUST(cu->CtxCreate_v2(&context, 0, begin_device()));
    MUST(cu->CtxPopCurrent_v2(&popped));
    return context;
}

void need_context(void)
{
    CUcontext context = NULL;
    const CUresult code = cu->CtxGetCurrent(&context);

    if (code == CUDA_ERROR_NOT_INITIALIZED || (code == CUDA_SUCCESS && !context))
        begin_context();
}

CUstream begin_stream(void)
{
    CUstream stream = NULL;

    need_context();
    MUST(cu->StreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    return stream;
}

CUstream begin_blocking_stream(void)
{
    CUstream stream = NULL;

    need_context();
    MUST(cu->StreamCreate(&stream, CU_STREAM_DEFAULT));
    return stream;
}

CUevent begin_event_with(unsigned flags)
{
    CUevent event = NULL;

    need_context();
    MUST(cu->EventCreate(&event, flags));
    return event;
}

CUevent begin_event(void)
{
    return begin_event_with(CU_EVENT_DEFAULT);
}

CUevent begin_done(void)
{
    CUevent event = begin_event();

    MUST(cu->EventRecord(event, begin_stream()));
    MUST(cu->EventSynchronize(event));
    return event;
}

CUstream begin_stream_in(CUcontext context)
{
    CUcontext former = current_context();
    CUstream stream;

    make_current(context);
    stream = begin_stream();
    make_current(former);
    return stream;
}

CUevent begin_event_in(CUcontext context)
{
    CUcontext former = current_context();
    CUevent event;

    make_current(context);
    event = begin_event();
    make_current(former);
    return event;
}

void make_current(CUcontext context)
{
    MUST(cu->CtxSetCurrent(context));
}

CUcontext current_context(void)
{
    CUcontext context = NULL;

    MUST(cu->CtxGetCurrent(&context));
    return context;
}

void gate_queue(struct gate *gate, CUstream stream)
{
    gate_prepare(gate);
    MUST(cu->LaunchHostFunc(stream, gate_stand, gate));
}

void gate_shut(struct gate *gate, CUstream stream)
{
    gate_queue(gate, stream);
    while (!gate_is_reached(gate))
        let_time_pass();
}

bool waits_for_gate(CUstream stream, CUresult (*call)(void *data), void *data)
{
    struct gate gate = GATE;
    struct opener opener;
    bool opened;

    gate_shut(&gate, stream);
    opener_start(&opener, &gate, SHUT_MS);
    OK(call(data));
    opened = atomic_load(&opener.opened);
    opener_join(&opener);
    drain(stream);
    return opened;
}

struct latch begin_latch(void)
{
    struct latch latch = {0};
    void *memory = NULL;

    need_context();
    MUST(cu->MemAllocHost_v2(&memory, 64));
    MUST(cu->MemHostGetDevicePointer_v2(&latch.device, memory, 0));
    latch.host = memory;
    *latch.host = 0;
    if (latch_count == MOST_LATCHES)
        fail("too many latches");
    latches[latch_count++] = latch;
    return latch;
}

struct latch latch_shut(CUstream stream)
{
    struct latch latch = begin_latch();

    MUST(cu->StreamWaitValue32_v2(stream, latch.device, 1, CU_STREAM_WAIT_VALUE_EQ));
    return latch;
}

void latch_open(const struct latch *latch)
{
    *latch->host = 1;
}

void latch_open_all(void)
{
    for (size_t i = 0; i < latch_count; i++)
        latch_open(&latches[i]);
}

CUdeviceptr begin_memory(size_t bytes)
{
    CUdeviceptr memory = 0;

    need_context();
    MUST(cu->MemAlloc_v2(&memory, bytes));
    return memory;
}

CUdeviceptr begin_managed(size_t bytes)
{
    CUdeviceptr memory = 0;

    need_context();
    MUST(cu->MemAllocManaged(&memory, bytes, CU_MEM_ATTACH_GLOBAL));
    return memory;
}

void *begin_pinned(size_t bytes)
{
    void *memory = NULL;

    need_context();
    MUST(cu->MemAllocHost_v2(&memory, bytes));
    return memory;
}

unsigned read_value(CUdeviceptr memory)
{
    unsigned value = 0;

    MUST(cu->CtxSynchronize());
    MUST(cu->MemcpyDtoH_v2(&value, memory, sizeof value));
    return value;
}

CUfunction begin_kernel(const char *name)
{
    CUfunction function = NULL;
    CUmodule module = NULL;

    need_context();
    MUST(cu->ModuleLoadData(&module, image));
    MUST(cu->ModuleGetFunction(&function, module, name));
    return function;
}

void queue_spin(CUfunction spin, CUstream stream, uint64_t ns)
{
    void *parameters[] = {&ns};

    MUST(cu->LaunchKernel(spin, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL));
}

void queue_kernel(CUfunction kernel, CUstream stream)
{
    MUST(cu->LaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL));
}

CUmodule begin_module(void)
{
    CUmodule module = NULL;

    begin_context();
    MUST(cu->ModuleLoadData(&module, module_image));
    return module;
}

CUfunction begin_function(CUmodule module, const char *name)
{
    CUfunction function = NULL;

    MUST(cu->ModuleGetFunction(&function, module, name));
    return function;
}

int peer_ask(const struct peer *peer)
{
    int number = -1;

    peer_send(peer, &number, sizeof number);
    peer_receive(peer, &number, sizeof number);
    return number;
}

void peer_answer(int number)
{
    int asked;

    peer_receive(&peer_parent, &asked, sizeof asked);
    peer_send(&peer_parent, &number, sizeof number);
}

void let_time_pass(void)
{
    CUcontext context;

    (void)cu->CtxGetCurrent(&context);
}

void drain(CUstream stream)
{
    MUST(cu->StreamSynchronize(stream));
}

void CUDA_CB do_nothing(void *data)
{
    (void)data;
}

int driver_version(void)
{
    int version = 0;

    MUST(cu->DriverGetVersion(&version));
    return version;
}

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000U + (uint64_t)time.tv_nsec;
}

uint64_t now_ns(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

uint64_t thread_ns(void)
{
    return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

CUdevice load_device(void)
{
    CUdevice device = -1;

    MUST(backend_init_cushim());
    MUST(cushim_driver()->DeviceGet(&device, 0));
    return device;
}

struct cushim_context *retain_primary(void)
{
    struct cushim_context *context = NULL;

    MUST(cushim_context_retain_primary(load_device(), &context));
    return context;
}

struct cushim_context *create_context(void)
{
    struct cushim_context *context = NULL;

    MUST(cushim_context_create(load_device(), NULL, &context));
    return context;
}

struct cushim_stream *create_stream(struct cushim_context *context)
{
    struct cushim_stream *stream = NULL;

    MUST(cushim_stream_create(context, NULL, &stream));
    return stream;
}

struct cushim_event *create_event(struct cushim_context *context)
{
    struct cushim_event *event = NULL;

    MUST(cushim_event_create(context, NULL, &event));
    return event;
}

struct cushim_event *create_done(struct cushim_context *context)
{
    struct cushim_event *event = NULL;

    MUST(cushim_event_create_recorded(create_stream(context), NULL, &event));
    MUST(cushim_event_synchronize(event));
    return event;
}

CUcontext context_handle(const struct cushim_context *context)
{
    CUcontext handle = NULL;

    MUST(cushim_context_get_handle(context, &handle));
    return handle;
}

CUstream stream_handle(const struct cushim_stream *stream)
{
    CUstream handle = NULL;

    MUST(cushim_stream_get_handle(stream, &handle));
    return handle;
}

CUevent event_handle(const struct cushim_event *event)
{
    CUevent handle = NULL;

    MUST(cushim_event_get_handle(event, &handle));
    return handle;
}
