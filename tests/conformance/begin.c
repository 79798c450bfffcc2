/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "begin.h"

#include <time.h>

#include "backend.h"
#include "check.h"

/* For a GPU; a mock knows these kernels by name. */
static const char image[] = ".version 6.0\n"
                            ".target sm_50\n"
                            ".address_size 64\n"
                            ".visible .entry cushim_nothing()\n"
                            "{\n"
                            "    ret;\n"
                            "}\n"
                            ".visible .entry cushim_spin(.param .u64 ns)\n"
                            "{\n"
                            "    .reg .u64 %most, %start, %now, %took;\n"
                            "    .reg .pred %early;\n"
                            "    ld.param.u64 %most, [ns];\n"
                            "    mov.u64 %start, %globaltimer;\n"
                            "again:\n"
                            "    mov.u64 %now, %globaltimer;\n"
                            "    sub.u64 %took, %now, %start;\n"
                            "    setp.lt.u64 %early, %took, %most;\n"
                            "    @%early bra again;\n"
                            "    ret;\n"
                            "}\n"
                            ".visible .entry cushim_fault()\n"
                            "{\n"
                            "    .reg .u64 %address;\n"
                            "    .reg .u32 %value;\n"
                            "    mov.u64 %address, 16;\n"
                            "    mov.u32 %value, 1;\n"
                            "    st.global.u32 [%address], %value;\n"
                            "    ret;\n"
                            "}\n"
                            ".visible .entry cushim_trap()\n"
                            "{\n"
                            "    trap;\n"
                            "    ret;\n"
                            "}\n";

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

CUstream begin_stream(void)
{
    CUstream stream = NULL;

    MUST(cu->StreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    return stream;
}

CUstream begin_blocking_stream(void)
{
    CUstream stream = NULL;

    MUST(cu->StreamCreate(&stream, CU_STREAM_DEFAULT));
    return stream;
}

CUevent begin_event_with(unsigned flags)
{
    CUevent event = NULL;

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

CUfunction begin_kernel(const char *name)
{
    CUfunction function = NULL;
    CUmodule module = NULL;

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

void let_time_pass(void)
{
    CUcontext context;

    (void)cu->CtxGetCurrent(&context);
}

void drain(CUstream stream)
{
    MUST(cu->StreamSynchronize(stream));
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
