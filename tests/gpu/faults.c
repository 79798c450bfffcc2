/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpu_faults [--mock]
 *
 * Rules of faults over a driver that works: what they change, and that the calls around them reach
 * the driver. Prints a line for each fact and whether it holds. With --mock on the mock driver.
 *
 * Exit status 1 means that a fact does not hold, 77 that there is no driver or no device.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cushim/cushim.h>
#include <cushim/fault.h>
#include <cushim/mock.h>

enum { SKIPPED = 77, BYTES = 64 << 20, DELAY_NS = 20000000, MISSING = 36 };

static struct cushim_mock *mock; /* NULL: the driver is a real one */
static struct cushim_layer *layer;
static bool has_failed;

static uint64_t now_ns(void)
{
    struct cushim_mock_state state = {.size = sizeof state};
    struct timespec time;

    if (mock) {
        cushim_mock_state_get(mock, &state);
        return state.now_ns;
    }
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void fact(const char *text, bool holds)
{
    printf("%s  %s\n", holds ? "ok    " : "FAILED", text);
    has_failed |= !holds;
}

static void rules(const char *text)
{
    char message[300];

    cushim_fault_clear(layer);
    printf("\n%s\n", text);
    if (cushim_fault_parse(layer, text, message, sizeof message) != CUDA_SUCCESS)
        fact(message, false);
}

static size_t free_bytes(void)
{
    size_t free = 0, total = 0;

    cushim_driver()->MemGetInfo_v2(&free, &total);
    return free;
}

static void check_second_allocation(void)
{
    CUdeviceptr first = 0, second = 0, third = 0;
    size_t before;

    rules("cuMemAlloc_v2:nth=2 => return(OUT_OF_MEMORY)");
    fact("the first allocation succeeds",
         cushim_driver()->MemAlloc_v2(&first, BYTES) == CUDA_SUCCESS && first);
    before = free_bytes();
    fact("the second answers that memory is out",
         cushim_driver()->MemAlloc_v2(&second, BYTES) == CUDA_ERROR_OUT_OF_MEMORY && !second);
    fact("and has taken none", free_bytes() == before);
    fact("the third succeeds", cushim_driver()->MemAlloc_v2(&third, BYTES) == CUDA_SUCCESS);
    fact("and has taken some", free_bytes() < before);
    fact("both are freed", cushim_driver()->MemFree_v2(first) == CUDA_SUCCESS &&
                               cushim_driver()->MemFree_v2(third) == CUDA_SUCCESS);
    fact("the rule has met 3 calls and fired once", cushim_fault_matched(layer, 0) == 3 &&
                                                        cushim_fault_fired(layer, 0) == 1 &&
                                                        !cushim_fault_unused(layer, 0));
}

static void check_answer_behind_a_call(void)
{
    CUdeviceptr address = 0;

    rules("cuMemAlloc_v2:phase=after => return(LAUNCH_FAILED)");
    fact("an allocation answers the code of the rule",
         cushim_driver()->MemAlloc_v2(&address, BYTES) == CUDA_ERROR_LAUNCH_FAILED);
    fact("and was made all the same",
         address && cushim_driver()->MemFree_v2(address) == CUDA_SUCCESS);
}

static void check_delay(void)
{
    uint64_t before;

    rules("cuStreamQuery:nth=1 => delay(20 ms)");
    before = now_ns();
    fact("a query answers what the driver does",
         cushim_driver()->StreamQuery(NULL) == CUDA_SUCCESS);
    fact("and takes 20 ms", now_ns() - before >= DELAY_NS);
    before = now_ns();
    cushim_driver()->StreamQuery(NULL);
    fact("and the next one does not", now_ns() - before < DELAY_NS);
}

static void check_device(void)
{
    rules("cuStreamQuery@dev0 => return(NOT_READY)\ncuStreamQuery@dev1 => return(UNKNOWN)");
    fact("a query in a context of device 0 meets the rule of device 0",
         cushim_driver()->StreamQuery(NULL) == CUDA_ERROR_NOT_READY);
    fact("and not that of device 1", cushim_fault_matched(layer, 1) == 0);
}

/* The function of a name, as the driver tells it for CUDA 13.0. */
static void *look_up(const char *name)
{
    cushim_CUdriverProcAddressQueryResult status;
    void *found = NULL;

    return cushim_driver()->GetProcAddress_v2(name, &found, 13000, 0, &status) == CUDA_SUCCESS
               ? found
               : NULL;
}

static void check_missing(void)
{
    const struct cushim_table *own = cushim_layer_table(layer);
    bool has_newer;
    void *newer, *older;

    memcpy(&newer, &own->EventElapsedTime_v2, sizeof newer);
    memcpy(&older, &own->EventElapsedTime, sizeof older);
    cushim_fault_clear(layer);
    has_newer = look_up("cuEventElapsedTime") == newer;
    printf("\n        (the driver %s cuEventElapsedTime_v2)\n", has_newer ? "has" : "lacks");
    rules("cuEventElapsedTime_v2 => missing\ncuStreamGetFlags* => missing");
    fact("a missing function answers 36",
         (int)cushim_driver()->EventElapsedTime_v2(NULL, NULL, NULL) == MISSING);
    fact("cuGetProcAddress finds the version before it, which is the layer's",
         look_up("cuEventElapsedTime") == older);
    fact("and nothing where there is none", !look_up("cuStreamGetFlags"));
    fact("and what is not missing", look_up("cuStreamQuery") != NULL);
}

static void check_older(void)
{
    int real = 0, told = 0;

    cushim_layer_wrapped(layer)->DriverGetVersion(&real);
    rules("* => older(11.8)");
    fact("the driver says that it is of CUDA 11.8",
         cushim_driver()->DriverGetVersion(&told) == CUDA_SUCCESS && told == 11080 && real > 11080);
    fact("a function of CUDA 12.8 answers 36",
         (int)cushim_driver()->EventElapsedTime_v2(NULL, NULL, NULL) == MISSING);
    fact("one of before does its work", cushim_driver()->CtxSynchronize() == CUDA_SUCCESS);
    fact("cuGetProcAddress does not find one of 12.0", !look_up("cuKernelGetFunction"));
}

static void *synchronize(void *data)
{
    CUcontext context = data;
    static CUresult answer;

    cushim_driver()->CtxSetCurrent(context);
    answer = cushim_driver()->StreamSynchronize(NULL);
    return &answer;
}

static void check_hang(CUcontext context)
{
    pthread_t thread;
    void *answer;

    rules("cuStreamSynchronize:nth=1 => hang");
    if (pthread_create(&thread, NULL, synchronize, context) != 0) {
        fact("a thread starts", false);
        return;
    }
    while (cushim_fault_fired(layer, 0) == 0)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    fact("while a call hangs, others do not", cushim_driver()->CtxSynchronize() == CUDA_SUCCESS);
    cushim_fault_release(layer);
    pthread_join(thread, &answer);
    fact("it answers CUDA_ERROR_TIMEOUT once it is let go",
         *(CUresult *)answer == CUDA_ERROR_TIMEOUT);
}

static void check_unused(void)
{
    rules("cuMemAlloc_v2:nth=30 => out_of_memory");
    cushim_driver()->MemAlloc_v2(&(CUdeviceptr){0}, 0);
    fact("a rule that never fired is told",
         cushim_fault_unused(layer, 0) &&
             strcmp(cushim_fault_unused(layer, 0),
                    "cuMemAlloc_v2:nth=30 => return(OUT_OF_MEMORY): matched once, never fired") ==
                 0);
}

/* The last, for the mock's own error stays. */
static void check_sticky(void)
{
    CUcontext current = NULL;
    int count = 0;

    rules("cuStreamQuery:nth=1 => lost(ECC_UNCORRECTABLE)");
    fact("a call answers the code",
         cushim_driver()->StreamQuery(NULL) == CUDA_ERROR_ECC_UNCORRECTABLE);
    fact("and so do others behind it",
         cushim_driver()->CtxSynchronize() == CUDA_ERROR_ECC_UNCORRECTABLE &&
             cushim_driver()->EventCreate(&(CUevent){NULL}, 0) == CUDA_ERROR_ECC_UNCORRECTABLE);
    fact("and functions of a device",
         cushim_driver()->DeviceGetAttribute(&count, 1, 0) == CUDA_ERROR_ECC_UNCORRECTABLE);
    fact("those that work after a fault do",
         cushim_driver()->CtxGetCurrent(&current) == CUDA_SUCCESS && current &&
             cushim_driver()->DeviceGetCount(&count) == CUDA_SUCCESS && count > 0);
    cushim_fault_clear(layer);
    if (!mock)
        fact("without the rule all is well again",
             cushim_driver()->CtxSynchronize() == CUDA_SUCCESS &&
                 cushim_driver()->StreamQuery(NULL) == CUDA_SUCCESS);
}

static CUresult begin(CUcontext *context)
{
    CUresult code = cushim_driver()->Init(0);

    if (code == CUDA_SUCCESS)
        code = cushim_driver()->DevicePrimaryCtxRetain(context, 0);
    if (code == CUDA_SUCCESS)
        code = cushim_driver()->CtxSetCurrent(*context);
    if (code == CUDA_SUCCESS)
        code = cushim_layer_create(NULL, &layer);
    return code == CUDA_SUCCESS ? cushim_layer_install(layer) : code;
}

int main(int count, char **arguments)
{
    CUcontext context = NULL;
    CUresult code;

    if (count > 1 && strcmp(arguments[1], "--mock") == 0) {
        if (cushim_mock_create(NULL, &mock) != CUDA_SUCCESS ||
            cushim_mock_install(mock) != CUDA_SUCCESS)
            return 1;
        printf("%s\n", cushim_mock_identity());
    }
    code = begin(&context);
    if (code != CUDA_SUCCESS) {
        printf("nothing to check: %s\n", cushim_error_string(code));
        return SKIPPED;
    }
    check_second_allocation();
    check_answer_behind_a_call();
    check_delay();
    check_device();
    check_missing();
    check_older();
    check_hang(context);
    check_unused();
    check_sticky();
    cushim_layer_destroy(layer);
    cushim_driver()->DevicePrimaryCtxRelease_v2(0);
    if (cushim_mock_destroy(mock) != CUDA_SUCCESS)
        fact("the mock has seen no violation", false);
    return has_failed;
}
