/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The boot table: what a call through it carries, and what stands on the stack while it loads. The
 * same tests run on its machine code and on the C functions that other systems have.
 */
#define _DEFAULT_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <unwind.h>

#include "loader/loader.h"
#include "loader/tables.h"
#include "tests/unit/fake.h"
#include "tests/unit/forked.h"

#define HANDLE(type, number) ((type)(uintptr_t)(number))

enum { FRAMES = 64 };

/* Of the caller of the boot table, and what a walk over the stack has met. */
static uintptr_t caller;
static bool met;

/* --- a driver that looks at its arguments --- */

static const unsigned char *frame_bytes;
static size_t stack_at_entry;

static CUresult CUDAAPI copy_to_device(CUdeviceptr to, const void *from, size_t bytes)
{
    stack_at_entry = (size_t)__builtin_frame_address(0);
    return to == UINT64_MAX - 1 && from == &caller && bytes == SIZE_MAX - 2 ? 11 : CUDA_SUCCESS;
}

static CUresult CUDAAPI clamp(CUtexref texture, float low, float high)
{
    return texture == HANDLE(CUtexref, 5) && low == 0.25f && high == -7.5f ? 12 : CUDA_SUCCESS;
}

static CUresult CUDAAPI launch(CUfunction function, unsigned gx, unsigned gy, unsigned gz,
                               unsigned bx, unsigned by, unsigned bz, unsigned bytes,
                               CUstream stream, void **parameters, void **extra)
{
    return function == HANDLE(CUfunction, 1) && gx == 2 && gy == 3 && gz == 4 && bx == 5 &&
                   by == 6 && bz == 7 && bytes == 8 && stream == HANDLE(CUstream, 9) &&
                   parameters == HANDLE(void **, 10) && extra == HANDLE(void **, 11)
               ? 13
               : CUDA_SUCCESS;
}

static CUresult CUDAAPI present(struct CUeglStreamConnection_st **connection,
                                struct cushim_egl_frame frame, CUstream *stream)
{
    return connection == HANDLE(struct CUeglStreamConnection_st **, 1) &&
                   memcmp(&frame, frame_bytes, sizeof frame) == 0 && stream == HANDLE(CUstream *, 2)
               ? 14
               : CUDA_SUCCESS;
}

static cushim_function resolve(const char *symbol, void *data)
{
    if (strcmp(symbol, "cuMemcpyHtoD_v2") == 0)
        return (cushim_function)copy_to_device;
    if (strcmp(symbol, "cuTexRefSetMipmapLevelClamp") == 0)
        return (cushim_function)clamp;
    if (strcmp(symbol, "cuLaunchKernel") == 0)
        return (cushim_function)launch;
    if (strcmp(symbol, "cuEGLStreamProducerPresentFrame") == 0)
        return (cushim_function)present;
    return fake_resolve(symbol, data);
}

/* --- what happens under a call --- */

#if HAS_UNWINDER

static _Unwind_Reason_Code meet(struct _Unwind_Context *context, void *frames)
{
    met = met || _Unwind_GetIP(context) == caller;
    return ++*(int *)frames < FRAMES ? _URC_NO_REASON : _URC_END_OF_STACK;
}

#endif

void __real_cushim__publish(const struct cushim_table *table);
void __wrap_cushim__publish(const struct cushim_table *table);

/* The linker puts this in the place of cushim__publish(), which a load ends with. */
void __wrap_cushim__publish(const struct cushim_table *table)
{
#if HAS_UNWINDER
    int frames = 0;

    _Unwind_Backtrace(meet, &frames);
#endif
    __real_cushim__publish(table);
}

const struct cushim_table *__real_cushim__own_table(void);
const struct cushim_table *__wrap_cushim__own_table(void);

/* And this in that of a function which each call of the boot table asks: it leaves no argument. */
const struct cushim_table *__wrap_cushim__own_table(void)
{
#if defined(__x86_64__)
    __asm__ volatile("pcmpeqd %%xmm0, %%xmm0\n movaps %%xmm0, %%xmm1\n movaps %%xmm0, %%xmm2\n"
                     "movaps %%xmm0, %%xmm3\n movaps %%xmm0, %%xmm4\n movaps %%xmm0, %%xmm5\n"
                     "movaps %%xmm0, %%xmm6\n movaps %%xmm0, %%xmm7\n movq %%rsp, %%rdi\n"
                     "movq %%rsp, %%rsi\n movq %%rsp, %%rdx\n movq %%rsp, %%rcx\n"
                     "movq %%rsp, %%r8\n movq %%rsp, %%r9\n" ::
                         : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "rdi",
                           "rsi", "rdx", "rcx", "r8", "r9");
#elif defined(__aarch64__)
    __asm__ volatile("movi v0.16b, #255\n movi v1.16b, #255\n movi v2.16b, #255\n"
                     "movi v3.16b, #255\n movi v4.16b, #255\n movi v5.16b, #255\n"
                     "movi v6.16b, #255\n movi v7.16b, #255\n mov x0, sp\n mov x1, sp\n"
                     "mov x2, sp\n mov x3, sp\n mov x4, sp\n mov x5, sp\n mov x6, sp\n"
                     "mov x7, sp\n" ::
                         : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "x0", "x1", "x2", "x3",
                           "x4", "x5", "x6", "x7");
#endif
    return __real_cushim__own_table();
}

/* --- tests --- */

static void load_it(void)
{
    static struct fake_source source;
    const struct cushim_load_options options = {
        .size = sizeof options, .resolver = resolve, .resolver_data = &source};

    assert_int_equal(cushim_load(&options), CUDA_SUCCESS);
}

static void call_carries_its_arguments(void **state)
{
    const struct cushim_table *boot = cushim_driver();
    struct cushim_egl_frame frame;

    (void)state;
    assert_ptr_equal(boot, &cushim__boot_table);
    load_it();
    for (size_t i = 0; i < sizeof frame; i++)
        ((unsigned char *)&frame)[i] = (unsigned char)(i * 3 + 1);
    frame_bytes = (const unsigned char *)&frame;

    assert_int_equal(boot->MemcpyHtoD_v2(UINT64_MAX - 1, &caller, SIZE_MAX - 2), 11);
    assert_int_equal(boot->TexRefSetMipmapLevelClamp(HANDLE(CUtexref, 5), 0.25f, -7.5f), 12);
    assert_int_equal(boot->LaunchKernel(HANDLE(CUfunction, 1), 2, 3, 4, 5, 6, 7, 8,
                                        HANDLE(CUstream, 9), HANDLE(void **, 10),
                                        HANDLE(void **, 11)),
                     13);
    assert_int_equal(
        boot->EGLStreamProducerPresentFrame(HANDLE(struct CUeglStreamConnection_st **, 1), frame,
                                            HANDLE(CUstream *, 2)),
        14);
}

/* A C function has a frame, unless the compiler makes a tail call of it. */
#if CUSHIM__THUNKS

static void call_leaves_no_frame_under_the_drivers(void **state)
{
    const struct cushim_table *boot = cushim_driver();
    const struct cushim_table *volatile direct;
    size_t stack_of_a_plain_call;

    (void)state;
    load_it();
    direct = cushim_driver();
    direct->MemcpyHtoD_v2(0, NULL, 0);
    stack_of_a_plain_call = stack_at_entry;
    boot->MemcpyHtoD_v2(0, NULL, 0);
    assert_int_equal(stack_at_entry, stack_of_a_plain_call);
}

#endif

/* Through a pointer, so that the call is one. */
static CUresult (*volatile query)(void);

static CUresult query_first(void)
{
    CUresult code;

    caller = (uintptr_t)__builtin_return_address(0);
    code = cushim_driver()->EventQuery(NULL);
    /* No tail call: this frame stays. */
    __asm__ volatile("" ::: "memory");
    return code;
}

static void load_from_a_call_can_be_unwound(void **state)
{
    (void)state;
    setenv("CUSHIM_LIBRARY", FAKE_LIBRARY, 1);
    query = query_first;
    assert_int_equal(query(), FAKE_LIBRARY_ANSWER);
    if (!HAS_UNWINDER)
        skip();
    assert_true(met);
}

static void missing_symbol_is_refused_by_its_number(void **state)
{
    (void)state;
    load_it();
    for (size_t i = 0; i < cushim_symbol_count(); i++)
        assert_false(cushim_symbol_missed(i));
    assert_int_equal(cushim_driver()->MemAlloc_v2(NULL, 1), 36);
    assert_true(cushim_symbol_missed(symbol_number("cuMemAlloc_v2")));
    assert_int_equal(cushim_driver()->EGLStreamProducerReturnFrame(NULL, NULL, NULL), 36);
    assert_true(cushim_symbol_missed(symbol_number("cuEGLStreamProducerReturnFrame")));
    for (size_t i = 0, missed = 0; i < cushim_symbol_count(); i++) {
        missed += cushim_symbol_missed(i);
        assert_true(i + 1 < cushim_symbol_count() || missed == 2);
    }
}

static void every_missing_symbol_has_a_function_of_its_own(void **state)
{
    (void)state;
    for (unsigned i = 1; i < cushim_symbol_count(); i++)
        assert_true(cushim__missing_function(i) != cushim__missing_function(i - 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        forked_test(call_carries_its_arguments),
#if CUSHIM__THUNKS
        forked_test(call_leaves_no_frame_under_the_drivers),
#endif
        forked_test(load_from_a_call_can_be_unwound),
        forked_test(missing_symbol_is_refused_by_its_number),
        forked_test(every_missing_symbol_has_a_function_of_its_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
