/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that uses a driver if it can, and prints its result. Exit status 0: the driver did
 * everything; 2: the program printed why not.
 *
 *     victim load     load and initialise
 *     victim work     also use a device: a stream, an event, copies, a host function, IPC
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cushim/cushim.h>

#include "tests/support/then.h"

static int calls;

static void CUDA_CB count(void *data)
{
    ++*(int *)data;
}

static int say(const char *what, CUresult code)
{
    printf("%s: %s\n", what, cushim_error_name(code));
    return 2;
}

/* Copy bytes to the device and back, call a host function, and export an event. */
static CUresult work(CUdeviceptr memory, CUstream stream, CUevent event)
{
    const struct cushim_table *driver = cushim_driver();
    char out[4096], back[4096] = "";
    CUipcMemHandle handle;
    CUipcEventHandle event_handle;
    CUresult code;

    memset(out, 'x', sizeof out);
    code = driver->MemcpyHtoDAsync_v2(memory, out, sizeof out, stream);
    THEN(driver->LaunchHostFunc(stream, count, &calls));
    THEN(driver->EventRecord(event, stream));
    THEN(driver->EventSynchronize(event));
    THEN(driver->StreamSynchronize(stream));
    THEN(driver->MemcpyDtoH_v2(back, memory, sizeof back));
    if (code == CUDA_SUCCESS && (memcmp(out, back, sizeof out) != 0 || calls != 1)) {
        puts("WRONG: what it answers is not what it has done");
        exit(1);
    }
    THEN(driver->IpcGetMemHandle(&handle, memory));
    return code == CUDA_SUCCESS ? driver->IpcGetEventHandle(&event_handle, event) : code;
}

static CUresult use_device(void)
{
    const struct cushim_table *driver = cushim_driver();
    static const char image[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                                ".visible .entry cushim_nothing()\n{\nret;\n}\n";
    CUdeviceptr memory = 0;
    CUstream stream = NULL;
    CUevent event = NULL;
    CUcontext context;
    CUfunction kernel;
    CUmodule module;
    CUresult code = driver->DevicePrimaryCtxRetain(&context, 0);

    THEN(driver->CtxSetCurrent(context));
    THEN(driver->ModuleLoadData(&module, image));
    THEN(driver->ModuleGetFunction(&kernel, module, "cushim_nothing"));
    THEN(driver->StreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    THEN(driver->EventCreate(&event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
    THEN(driver->MemAlloc_v2(&memory, 4096));
    THEN(driver->LaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL));
    return code == CUDA_SUCCESS ? work(memory, stream, event) : code;
}

int main(int arguments, char **words)
{
    static char text[8000];
    int devices = -1;
    CUresult code = cushim_driver_init(NULL);

    cushim_report_write_text(text, sizeof text);
    if (code != CUDA_SUCCESS) {
        fputs(text, stdout);
        return say("init", code);
    }
    if (arguments > 1 && strcmp(words[1], "work") == 0) {
        code = cushim_driver()->DeviceGetCount(&devices);
        if (code != CUDA_SUCCESS)
            return say("count", code);
        if (devices < 1) {
            puts("WRONG: there is no device");
            return 1;
        }
        code = use_device();
        if (code != CUDA_SUCCESS)
            return say("work", code);
    }
    puts("done");
    return fflush(stdout) == 0 ? 0 : 2;
}
