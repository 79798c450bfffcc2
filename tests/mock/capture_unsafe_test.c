/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that a capture forbids depending on its mode. tests/conformance/states.c recorded what each
 * returned on a GPU, with zeros for handles and numbers, while a non-blocking stream was captured.
 * The registry lists these calls. The mock must return the same codes, whether it implements a
 * function or not.
 */

#include "loader/symbols.h"
#include "src/driver_api/effects.h"
#include "tests/mock/fixture.h"
#include "tests/support/calls.h"

enum { UNSUPPORTED = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED };

static bool is_unsafe(unsigned slot)
{
    return cushim__effects[slot].capture == CUSHIM__CALL_UNSAFE;
}

static unsigned slot_of(const char *name)
{
    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++) {
        if (strcmp(cushim__slot_name(slot), name) == 0)
            return slot;
    }
    fail_msg("there is no function %s", name);
    return 0;
}

/* Call a slot in a new capture; returns the code, and whether the capture was invalidated. */
static CUresult captured_call(unsigned slot, CUstreamCaptureMode mode, bool *is_invalidated)
{
    static char memory[CUSHIM_CALL_BYTES];
    CUstreamCaptureStatus status;
    CUstream stream;
    CUresult code;
    CUgraph graph;

    memset(memory, 0, sizeof memory);
    stream = fixture_stream();
    OK(driver->StreamBeginCapture_v2(stream, mode));
    code = cushim_calls[slot](driver, memory);
    OK(driver->StreamIsCapturing(stream, &status));
    *is_invalidated = status == CU_STREAM_CAPTURE_STATUS_INVALIDATED;
    if (driver->StreamEndCapture(stream, &graph) == CUDA_SUCCESS)
        OK(driver->GraphDestroy(graph));
    OK(driver->StreamDestroy_v2(stream));
    return code;
}

#define TEST(name) TEST_BETWEEN(name, fixture_auto, fixture_done)

TEST(unsafe_calls_return_what_a_gpu_returned)
{
    unsigned refused = 0, others = 0;
    char line[256], name[128];
    FILE *file = fopen(STATES, "r");

    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        const char *column = strstr(line, " capture=");
        bool is_invalidated;
        unsigned slot;
        int measured, code;

        if (line[0] == '#')
            continue;
        assert_non_null(column);
        if (sscanf(line, "%127s", name) != 1 || sscanf(column, " capture=%d", &measured) != 1)
            continue;
        slot = slot_of(name);
        if (!is_unsafe(slot))
            continue;
        code = (int)captured_call(slot, CU_STREAM_CAPTURE_MODE_GLOBAL, &is_invalidated);
        if (code != measured)
            fail_msg("%s returns %d, not %d", name, code, measured);
        if (is_invalidated != (measured == UNSUPPORTED))
            fail_msg("%s: only 900 invalidates the capture", name);
        *(measured == UNSUPPORTED ? &refused : &others) += 1;
    }
    fclose(file);
    assert_true(refused > others);
}

TEST(functions_that_are_not_implemented_are_refused_by_the_mode)
{
    const unsigned slot = slot_of("cuGraphicsGLRegisterBuffer");
    bool is_invalidated;

    assert_int_equal(captured_call(slot, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, &is_invalidated),
                     UNSUPPORTED);
    assert_true(is_invalidated);
    assert_int_equal(captured_call(slot, CU_STREAM_CAPTURE_MODE_RELAXED, &is_invalidated),
                     CUDA_ERROR_NOT_SUPPORTED);
    assert_false(is_invalidated);
}
