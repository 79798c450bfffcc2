/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/check/order_objects.h"

#include "tests/check/answers.h"
#include "tests/support/structs.h"

const struct cushim_table *order_below;
CUcontext order_context;
CUstream order_streams[2];
CUdeviceptr order_memory;
char *order_host;

static CUmodule module;
static CUfunction spin, fault;

void order_make(void)
{
    void *host;

    OK(driver->DevicePrimaryCtxRetain(&order_context, 0));
    OK(driver->CtxPushCurrent_v2(order_context));
    OK(driver->ModuleLoadData(&module, check_image));
    OK(driver->ModuleGetFunction(&spin, module, "cushim_spin"));
    OK(driver->ModuleGetFunction(&fault, module, "cushim_fault"));
    order_streams[0] = order_stream(CU_STREAM_NON_BLOCKING);
    order_streams[1] = order_stream(CU_STREAM_NON_BLOCKING);
    OK(driver->MemAlloc_v2(&order_memory, ORDER_BYTES));
    OK(driver->MemHostAlloc(&host, ORDER_BYTES, 0));
    order_host = host;
}

void order_leave(void)
{
    CUcontext context;

    order_drain_unseen();
    OK(driver->CtxSynchronize());
    OK(driver->MemFree_v2(order_memory));
    if (order_host)
        OK(driver->MemFreeHost(order_host));
    for (unsigned i = 0; i < 2; i++)
        OK(driver->StreamDestroy_v2(order_streams[i]));
    OK(driver->ModuleUnload(module));
    OK(driver->CtxPopCurrent_v2(&context));
    OK(driver->DevicePrimaryCtxRelease_v2(0));
}

CUstream order_stream(unsigned flags)
{
    CUstream stream;

    OK(driver->StreamCreate(&stream, flags));
    return stream;
}

CUevent order_event(unsigned flags)
{
    CUevent event;

    OK(driver->EventCreate(&event, flags));
    return event;
}

void order_write(CUstream stream)
{
    OK(driver->MemsetD8Async(order_memory, 1, ORDER_BYTES, stream));
}

void order_read(CUstream stream)
{
    OK(driver->MemcpyDtoHAsync_v2(order_host, order_memory, ORDER_BYTES, stream));
}

void order_spin(CUstream stream)
{
    uint64_t ns = 1000000;
    void *parameters[] = {&ns};

    OK(driver->LaunchKernel(spin, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL));
}

void order_spin_recording(CUstream stream, CUevent event)
{
    uint64_t ns = 1000000;
    void *parameters[] = {&ns};
    CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT};
    const CUlaunchConfig config = {ONE_THREAD, .hStream = stream, .attrs = &attribute,
                                   .numAttrs = 1};

    attribute.value.programmaticEvent.event = event;
    OK(driver->LaunchKernelEx(&config, spin, parameters, NULL));
}

void order_fault(CUstream stream)
{
    OK(driver->LaunchKernel(fault, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL));
}

void order_drain_unseen(void)
{
    OK(order_below->CtxSynchronize());
}
