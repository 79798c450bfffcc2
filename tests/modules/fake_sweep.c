/* SPDX-License-Identifier: Apache-2.0 */
/* The sweep: a body runs again and again, and each of its driver calls fails once. */
#include "fake.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* Whether a failure of this function is documented as one that nobody is told of. */
static bool may_go_unreported(const char *failed, const char *const *unreported)
{
    for (; unreported && *unreported; unreported++) {
        if (strcmp(*unreported, failed) == 0)
            return true;
    }
    return false;
}

/* One run; false if no call was left to fail. */
static bool sweep_once(CUresult (*body)(void *), void *data, const char *const *unreported,
                       unsigned nth, CUresult injected)
{
    unsigned live[FAKE_KINDS];
    const char *failed;
    CUresult code;

    for (enum fake_kind kind = 0; kind < FAKE_KINDS; kind++)
        live[kind] = fake_live(kind);
    fake_fail(NULL, nth, injected);
    code = body(data);
    failed = fake_failed();
    if (!failed) {
        assert_int_equal(code, CUDA_SUCCESS);
    } else if (code != injected &&
               !(code == CUDA_SUCCESS && may_go_unreported(failed, unreported))) {
        fail_msg("call %u, %s, answered %d but the body %d", nth, failed, injected, code);
    }
    if (failed && strcmp(failed, "cuCtxPopCurrent_v2") == 0)
        fake_stack_put_back(); /* what cannot be taken off cannot be put back */
    for (enum fake_kind kind = 0; kind < FAKE_KINDS; kind++) {
        if (fake_live(kind) != live[kind])
            fail_msg("call %u, %s, failed: %u left of kind %d", nth, failed ? failed : "none",
                     fake_live(kind) - live[kind], (int)kind);
    }
    if (!fake_stack_is_as_entered())
        fail_msg("call %u, %s, failed: the current context is another", nth, failed);
    return failed != NULL;
}

unsigned fake_sweep(CUresult (*body)(void *data), void *data, const char *const *unreported)
{
    /* A code that means nothing to anybody, and one that ends the context. */
    static const CUresult injected[] = {CUDA_ERROR_UNKNOWN, CUDA_ERROR_ILLEGAL_ADDRESS};
    unsigned nth = 0;

    for (size_t i = 0; i < sizeof injected / sizeof injected[0]; i++) {
        nth = 1;
        while (sweep_once(body, data, unreported, nth, injected[i]))
            nth++;
    }
    fake_fail_no_more();
    return nth - 1;
}
