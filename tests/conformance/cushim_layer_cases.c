/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cushim's layers over a working driver: the effect of fault rules, that other calls reach the
 * driver, and the findings of a sweep.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include <cushim/testing/layer.h>
#include <cushim/testing/sweep.h>

#include "cases.h"
#include "tests/layer/sweep_bodies.h"

enum { BYTES = 64 << 20, REQUIRES_NEWER_DRIVER = 36 };

static struct cushim_layer *layer;

/* Make the primary context current, and return the table of a layer with these rules. */
static const struct cushim_table *begin_rules(const char *rules)
{
    struct cushim_context *context = retain_primary();
    char message[300];

    MUST(cushim_context_make_current(context));
    MUST(cushim_layer_create(NULL, &layer));
    MUST(cushim_layer_install(layer));
    if (cushim_fault_add_rules(layer, rules, message, sizeof message) != CUDA_SUCCESS)
        fail("%s", message);
    return cushim_driver();
}

static size_t free_bytes(void)
{
    size_t free = 0, total = 0;

    OK(cu->MemGetInfo_v2(&free, &total));
    return free;
}

CUSHIM_CASE(fault_of_the_second_call)
{
    const struct cushim_table *driver = begin_rules("cuMemAlloc_v2:nth=2 => return(OUT_OF_MEMORY)");
    CUdeviceptr first = 0, second = 0, third = 0;
    size_t before;

    OK(driver->MemAlloc_v2(&first, BYTES));
    before = free_bytes();
    CODE(CUDA_ERROR_OUT_OF_MEMORY, driver->MemAlloc_v2(&second, BYTES));
    CHECK(first && !second);
    EQUAL(before, free_bytes()); /* no memory was allocated */
    OK(driver->MemAlloc_v2(&third, BYTES));
    CHECK(free_bytes() < before);
    OK(driver->MemFree_v2(first));
    OK(driver->MemFree_v2(third));
    EQUAL(3, cushim_fault_matched(layer, 0));
    EQUAL(1, cushim_fault_fired(layer, 0));
    CHECK(!cushim_fault_unused(layer, 0));
}

CUSHIM_CASE(fault_behind_a_call)
{
    const struct cushim_table *driver =
        begin_rules("cuMemAlloc_v2:phase=after => return(LAUNCH_FAILED)");
    CUdeviceptr address = 0;

    CODE(CUDA_ERROR_LAUNCH_FAILED, driver->MemAlloc_v2(&address, BYTES));
    CHECK(address != 0);
    OK(driver->MemFree_v2(address));
}

CUSHIM_CASE(fault_delay)
{
    const struct cushim_table *driver = begin_rules("cuStreamQuery:nth=1 => delay(20 ms)");
    const uint64_t before = backend_now_ns();

    OK(driver->StreamQuery(NULL));
    CHECK(backend_now_ns() - before >= 20000000);
    OK(driver->StreamQuery(NULL));
    EQUAL(1, cushim_fault_fired(layer, 0));
}

CUSHIM_CASE(fault_of_a_device)
{
    const struct cushim_table *driver = begin_rules("cuStreamQuery@dev0 => return(NOT_READY)\n"
                                                    "cuStreamQuery@dev1 => return(UNKNOWN)");

    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(NULL));
    EQUAL(0, cushim_fault_matched(layer, 1));
}

/* Look up a function by name, as of CUDA 13.0. */
static void *look_up(const char *name)
{
    cushim_CUdriverProcAddressQueryResult status;
    void *found = NULL;

    return cushim_driver()->GetProcAddress_v2(name, &found, 13000, 0, &status) == CUDA_SUCCESS
               ? found
               : NULL;
}

CUSHIM_CASE(fault_missing_function)
{
    const struct cushim_table *driver =
        begin_rules("cuEventElapsedTime_v2 => missing\ncuStreamGetFlags* => missing");
    void *older;

    memcpy(&older, &cushim_layer_table(layer)->EventElapsedTime, sizeof older);
    CODE(REQUIRES_NEWER_DRIVER, driver->EventElapsedTime_v2(NULL, NULL, NULL));
    CHECK(look_up("cuEventElapsedTime") == older); /* the older ABI, in the layer's table */
    CHECK(!look_up("cuStreamGetFlags"));
    CHECK(look_up("cuStreamQuery") != NULL);
}

CUSHIM_CASE(fault_older_driver)
{
    const struct cushim_table *driver = begin_rules("* => older(11.8)");
    int version = 0;

    OK(driver->DriverGetVersion(&version));
    EQUAL(11080, version);
    CHECK(driver_version() > 11080);
    CODE(REQUIRES_NEWER_DRIVER, driver->EventElapsedTime_v2(NULL, NULL, NULL)); /* of 12.8 */
    OK(driver->CtxSynchronize());
    CHECK(!look_up("cuKernelGetFunction")); /* of CUDA 12.0 */
}

static void *synchronize(void *context)
{
    static CUresult answer;

    cushim_driver()->CtxSetCurrent(context);
    answer = cushim_driver()->StreamSynchronize(NULL);
    return &answer;
}

CUSHIM_CASE(fault_hang)
{
    const struct cushim_table *driver = begin_rules("cuStreamSynchronize:nth=1 => hang");
    pthread_t thread;
    void *answer;

    if (pthread_create(&thread, NULL, synchronize, current_context()) != 0)
        fail("a thread cannot be created");
    while (cushim_fault_fired(layer, 0) == 0)
        sched_yield();
    OK(driver->CtxSynchronize()); /* other calls do not hang */
    cushim_fault_resume(layer);
    pthread_join(thread, &answer);
    CODE(CUDA_ERROR_TIMEOUT, *(CUresult *)answer);
}

CUSHIM_CASE(fault_that_never_fired)
{
    const struct cushim_table *driver = begin_rules("cuMemAlloc_v2:nth=30 => out_of_memory");
    const char *unused;

    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemAlloc_v2(&(CUdeviceptr){0}, 0));
    unused = cushim_fault_unused(layer, 0);
    CHECK(unused &&
          strcmp(unused, "cuMemAlloc_v2:nth=30 => out_of_memory: matched once, never fired") == 0);
}

CUSHIM_CASE(fault_lost_device)
{
    const struct cushim_table *driver =
        begin_rules("cuStreamQuery:nth=1 => lost(ECC_UNCORRECTABLE)");
    CUcontext current = NULL;
    int count = 0;

    CODE(CUDA_ERROR_ECC_UNCORRECTABLE, driver->StreamQuery(NULL));
    CODE(CUDA_ERROR_ECC_UNCORRECTABLE, driver->CtxSynchronize());
    CODE(CUDA_ERROR_ECC_UNCORRECTABLE, driver->EventCreate(&(CUevent){NULL}, 0));
    CODE(CUDA_ERROR_ECC_UNCORRECTABLE, driver->DeviceGetAttribute(&count, 1, 0));
    OK(driver->CtxGetCurrent(&current)); /* as after a kernel fault */
    CHECK(current != NULL);
    OK(driver->DeviceGetCount(&count));
    CHECK(count > 0);
    if (backend_is_mock()) /* on a mock, the error is real */
        return;
    cushim_fault_clear(layer);
    OK(driver->CtxSynchronize());
    OK(driver->StreamQuery(NULL));
}

/* Sweep a program over the driver; `why` receives the findings. */
static char why[8000];

static CUresult sweep(enum bug bug, enum cushim_sweep_kind kinds, unsigned limit,
                      struct cushim_sweep_result *result)
{
    const struct cushim_sweep_options options = {
        .size = sizeof options,
        .table = cu,
        .kinds = kinds,
        .fail_releases = true,
        .limit = limit,
        .message = why,
        .message_size = sizeof why,
    };

    load_device();
    *result = (struct cushim_sweep_result){.size = sizeof *result};
    return cushim_sweep_run(&options, sweep_body, &bug, result);
}

CUSHIM_CASE(sweep_passes_what_behaves_well)
{
    enum { CALLS = 12 /* one poll more or less */ };
    struct cushim_sweep_result result;

    if (!OK(sweep(NO_BUG, CUSHIM_SWEEP_BOTH, 0, &result)))
        detail("%s", why);
    CHECK(result.swept >= 2 * CALLS);
    detail("%u calls, %u runs", (unsigned)result.calls, (unsigned)result.runs);
}

CUSHIM_CASE(sweep_finds_what_is_wrong)
{
    static const struct {
        enum bug bug;
        enum cushim_sweep_kind kinds;
        unsigned limit;
        const char *why;
    } rows[] = {
        {LEAKS_THE_EVENT, CUSHIM_SWEEP_ONCE, 0,
         "call 7 of thread 1 (cuMemsetD8Async) answered CUDA_ERROR_UNKNOWN, once: "
         "CUSHIM-leak-event: warning: event#1 is never destroyed; made by cuEventCreate, "},
        {IGNORES_THE_RECORD, CUSHIM_SWEEP_ONCE, 0, "call 8 of thread 1 (cuEventRecord)"},
        {LEAVES_THE_CONTEXT, CUSHIM_SWEEP_ONCE, 0, "a context is left current"},
        {POLLS_FOR_EVER, CUSHIM_SWEEP_FROM_THEN_ON, 1000,
         "the body did not end within 1000 calls; the next was cuEventQuery"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct cushim_sweep_result result;

        CODE(CUDA_ERROR_ILLEGAL_STATE, sweep(rows[i].bug, rows[i].kinds, rows[i].limit, &result));
        if (!CHECK(strstr(why, rows[i].why)))
            detail("%s (not: %s)", why, rows[i].why);
        if (rows[i].bug == LEAKS_THE_EVENT || rows[i].bug == IGNORES_THE_RECORD)
            EQUAL(1, result.failures);
        cu->CtxPopCurrent_v2(&(CUcontext){NULL}); /* if one was left current */
    }
}
