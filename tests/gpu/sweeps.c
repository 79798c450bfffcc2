/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpu_sweeps [--mock]
 *
 * Sweeps of a program over a driver that works: each of its calls fails, and the layer tells what
 * is left. Prints a line for each fact and whether it holds. With --mock the mock's table stands
 * for a driver.
 *
 * Exit status 1 means that a fact does not hold, 77 that there is no driver or no device.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <cushim/cushim.h>
#include <cushim/mock.h>
#include <cushim/sweep.h>

#include "tests/layer/sweep_bodies.h"

enum { SKIPPED = 77, CALLS = 12 /* and one more poll, or none */ };

static bool has_failed;
static char why[8000];
static struct cushim_sweep_options options = {
    .size = sizeof options, .fail_releases = true, .message = why, .message_size = sizeof why};
static struct cushim_sweep_result result = {.size = sizeof result};

static void fact(const char *text, bool holds)
{
    printf("%s  %s\n", holds ? "ok    " : "FAILED", text);
    if (!holds)
        printf("%s", why);
    has_failed |= !holds;
}

static CUresult sweep(enum bug bug, enum cushim_sweep_kind kinds)
{
    options.kinds = kinds;
    return cushim_sweep(&options, sweep_body, &bug, &result);
}

static void check(void)
{
    fact("a program that behaves well passes",
         sweep(NO_BUG, CUSHIM_SWEEP_BOTH) == CUDA_SUCCESS && result.swept >= 2 * CALLS);
    printf("        %u calls, %u runs\n", (unsigned)result.calls, (unsigned)result.runs);
    fact("a leak is found, with where it was made",
         sweep(LEAKS_THE_EVENT, CUSHIM_SWEEP_ONCE) == CUDA_ERROR_ILLEGAL_STATE &&
             result.failures == 1 &&
             strstr(why, "call 6 of the body (cuMemsetD8Async) answered CUDA_ERROR_UNKNOWN, once: "
                         "1 event not given back: event#1, by cuEventCreate, "));
    printf("        %s", why);
    fact("an error that is ignored is found",
         sweep(IGNORES_THE_RECORD, CUSHIM_SWEEP_ONCE) == CUDA_ERROR_ILLEGAL_STATE &&
             result.failures == 1 && strstr(why, "call 7 of the body (cuEventRecord)"));
    fact("a context that is left current is found",
         sweep(LEAVES_THE_CONTEXT, CUSHIM_SWEEP_ONCE) == CUDA_ERROR_ILLEGAL_STATE &&
             strstr(why, "a context is left current"));
    cushim_driver()->CtxPopCurrent_v2(&(CUcontext){NULL});
    options.limit = 1000;
    fact("a poll that would not end is stopped",
         sweep(POLLS_FOR_EVER, CUSHIM_SWEEP_FROM_THEN_ON) == CUDA_ERROR_ILLEGAL_STATE &&
             strstr(why, "the body did not end within 1000 calls; the next was cuEventQuery"));
}

int main(int count, char **arguments)
{
    struct cushim_mock *mock = NULL;
    int devices = 0;
    CUresult code;

    if (count > 1 && strcmp(arguments[1], "--mock") == 0) {
        if (cushim_mock_create(NULL, &mock) != CUDA_SUCCESS)
            return 1;
        options.table = cushim_mock_table(mock);
        printf("%s\n", cushim_mock_identity());
    } else {
        cushim_load(NULL);
        options.table = cushim_driver();
    }
    code = options.table->Init(0);
    if (code == CUDA_SUCCESS)
        code = options.table->DeviceGetCount(&devices);
    if (code != CUDA_SUCCESS || devices == 0) {
        printf("nothing to check: %s\n", cushim_error_string(code));
        return SKIPPED;
    }
    check();
    if (cushim_mock_destroy(mock) != CUDA_SUCCESS)
        fact("the mock has seen no violation", false);
    return has_failed;
}
