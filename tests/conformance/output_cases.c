/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a failing call leaves where it writes its results (statement 15): each function whose row of
 * effects.tsv says so is called with zeros in the states in which all calls fail.
 */
#include <string.h>

#include "loader/symbols.h"
#include "src/driver_api/effects.h"
#include "tests/conformance/backend.h"
#include "tests/conformance/begin.h"
#include "tests/conformance/cases.h"
#include "tests/conformance/check.h"
#include "tests/support/calls.h"

enum { BEFORE = 1 };

/* The number is before each call what every pointer of the call refers to. */
static union {
    int64_t number;
    char bytes[CUSHIM_CALL_BYTES];
} memory;

static struct {
    CUresult code;
    int64_t left;
    bool is_made;
} calls[CUSHIM__SYMBOL_COUNT];

/* Make the calls: of functions that leave something there, or also of those that do not. */
static void make_calls(bool all)
{
    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++) {
        const unsigned failure = cushim__effects[slot].failure;

        if ((cushim__symbols[slot].flags & CUSHIM__PER_THREAD) ||
            cushim__effects[slot].init == CUSHIM__CALL_YES ||
            failure < (all ? CUSHIM__FAILURE_UNTOUCHED : CUSHIM__FAILURE_ZERO))
            continue;
        memset(&memory, 0, sizeof memory);
        memory.number = BEFORE;
        calls[slot].code = cushim_calls[slot](cu, &memory);
        calls[slot].left = memory.number;
        calls[slot].is_made = true;
    }
}

static void check_calls(void)
{
    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++) {
        int64_t want = BEFORE;

        if (!calls[slot].is_made || calls[slot].code == CUDA_SUCCESS)
            continue;
        if (cushim__failure_is_written(slot, calls[slot].code))
            want = cushim__effects[slot].failure == CUSHIM__FAILURE_ZERO ? 0 : -1;
        check_number(__LINE__, cushim__slot_name(slot), calls[slot].left, want);
    }
}

MEASURED_CASE(015, outputs_before_init)
{
    make_calls(true);
    check_calls();
}

MEASURED_CASE(015, outputs_without_a_context)
{
    begin_device();
    make_calls(false);
    check_calls();
}

MEASURED_CASE(015, outputs_with_a_destroyed_context)
{
    CUdevice device = begin_device();

    begin_context();
    MUST(cu->DevicePrimaryCtxReset_v2(device));
    make_calls(false);
    check_calls();
}

MEASURED_CASE(015, outputs_after_a_sticky_error)
{
    queue_kernel(begin_kernel("cushim_fault"), NULL);
    CODE(CUDA_ERROR_ILLEGAL_ADDRESS, cu->CtxSynchronize());
    make_calls(false);
    check_calls();
}

static void CUDA_CB make_calls_in_callback(void *data)
{
    (void)data;
    make_calls(false);
}

MEASURED_CASE(015, outputs_in_a_host_function)
{
    CUstream stream = begin_stream();

    MUST(cu->LaunchHostFunc(stream, make_calls_in_callback, NULL));
    MUST(cu->StreamSynchronize(stream));
    check_calls();
}
