/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lazy-load table: the arguments of the first call reach the driver, and the stack can be
 * unwound during the load. The same tests run on the machine code and on the C functions for other
 * platforms.
 */
#define _GNU_SOURCE
#include <unwind.h>

#include "fake.h"
#include "forked.h"
#include "loader/loader.h"
#include "tests/support/environment.h"

#define HANDLE(type, number) ((type)(uintptr_t)(number))

enum { MOST_FRAMES = 256 };

static int call_with_integers(void)
{
    return (int)cushim_driver()->MemcpyHtoD_v2(UINT64_MAX - 1, HANDLE(void *, 1), SIZE_MAX - 2);
}

static int call_with_floats(void)
{
    return (int)cushim_driver()->TexRefSetMipmapLevelClamp(HANDLE(CUtexref, 5), 0.25f, -7.5f);
}

static int call_with_arguments_on_the_stack(void)
{
    return (int)cushim_driver()->LaunchKernel(HANDLE(CUfunction, 1), 2, 3, 4, 5, 6, 7, 8,
                                              HANDLE(CUstream, 9), HANDLE(void **, 10),
                                              HANDLE(void **, 11));
}

FORKED_TEST(first_call_forwards_its_arguments)
{
    static int (*const calls[])(void) = {call_with_integers, call_with_floats,
                                         call_with_arguments_on_the_stack};

    environment_set("CUSHIM_LIBRARY", FAKE_LIBRARY);
    assert_ptr_equal(cushim_driver(), &cushim__lazy_table);
    for (size_t i = 0; i < COUNT(calls); i++)
        assert_int_equal(forked_answer(calls[i]), CUDA_SUCCESS);
}

/* --- unwinding the stack --- */

/* An address in the caller of the lazy-load table, and whether unwinding has reached it. */
static uintptr_t caller;
static bool is_met;

#if HAS_UNWINDER
static _Unwind_Reason_Code meet(struct _Unwind_Context *context, void *frames)
{
    is_met = is_met || _Unwind_GetIP(context) == caller;
    return ++*(int *)frames < MOST_FRAMES ? _URC_NO_REASON : _URC_END_OF_STACK;
}
#endif

static void walk_the_stack(void)
{
#if HAS_UNWINDER
    int frames = 0;

    _Unwind_Backtrace(meet, &frames);
#endif
}

/* Called through a pointer, so that the compiler does not inline it. */
static CUresult (*volatile query)(void);

static CUresult query_first(void)
{
    CUresult code;

    caller = (uintptr_t)__builtin_return_address(0);
    code = cushim_driver()->EventQuery(NULL);
    /* Code after the call prevents a tail call, which would remove this frame. */
    __asm__ volatile("" ::: "memory");
    return code;
}

FORKED_TEST(stack_can_be_unwound_during_a_load)
{
    environment_set("CUSHIM_LIBRARY", FAKE_LIBRARY);
    fake_library_constructor(walk_the_stack);
    query = query_first;
    assert_int_equal(query(), FAKE_LIBRARY_ANSWER);
    if (!HAS_UNWINDER)
        skip();
    assert_true(is_met);
}
