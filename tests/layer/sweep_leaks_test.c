/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a body may leave, and how a sweep looks for it: graphs, work, references, and a destroyed
 * mock.
 */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include <cushim/testing/test.h>

#include "loader/symbols.h"
#include "src/testkit/sweep.h"
#include "sweep_fixture.h"
#include "tests/support/cmocka.h"

static int allocate(void *data)
{
    return sweep_make_current(NULL) || cushim_driver()->MemAlloc_v2(data, 4096);
}

/* A failed capture leaves no graph. */
static int capture(void *data)
{
    struct cushim_mock_state before = {.size = sizeof before}, after = before;
    CUgraph graph = NULL;
    CUstream stream;

    if (cushim_driver()->StreamCreate(&stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS)
        return 0;
    cushim_mock_get_state(cushim_mock_current(), &before);
    cushim_driver()->StreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
    if (cushim_driver()->StreamEndCapture(stream, &graph) == CUDA_SUCCESS)
        cushim_driver()->GraphDestroy(graph);
    else if (graph)
        cushim_sweep_fail("there is no graph");
    cushim_mock_get_state(cushim_mock_current(), &after);
    cushim_driver()->StreamDestroy_v2(stream);
    return before.handles == after.handles ? 0 : cushim_sweep_fail("the graph is gone");
}

SWEEP_TEST(capture_that_fails_to_end_leaves_no_graph)
{
    CUdeviceptr memory;

    sweep_options.setup = allocate;
    sweep_assert_passed(sweep_run(capture, &memory));
    assert_int_equal(sweep_result.calls, 5);
}

/* Two streams write to the same memory, and the body does not wait for them. */
static int write_and_leave(void *data)
{
    CUdeviceptr *memory = data;
    CUstream one, other;

    if (cushim_driver()->StreamCreate(&one, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS)
        return 0;
    if (cushim_driver()->StreamCreate(&other, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS) {
        cushim_driver()->MemsetD8Async(*memory, 1, 4096, one);
        cushim_driver()->MemsetD8Async(*memory, 2, 4096, other);
        cushim_driver()->StreamDestroy_v2(other);
    }
    cushim_driver()->StreamDestroy_v2(one);
    return 0;
}

SWEEP_TEST(missing_wait_and_pending_work_are_found)
{
    CUdeviceptr memory;

    sweep_options.settings = "mode = manual\nraces = report";
    sweep_options.setup = allocate;
    assert_int_equal(sweep_run(write_and_leave, &memory), CUDA_ERROR_ILLEGAL_STATE);
    CONTAINS(sweep_why, "with no call failing: 2 operations are pending; CUSHIM-race: error: set ");
    CONTAINS(sweep_why, "; mock: mode = manual, races = report\n");
    assert_int_equal(sweep_result.failures, 1);
}

/* If a wait fails, the program can only continue; destroying the context ends its work. */
static int wait_and_give_back(void *data)
{
    CUstream stream;

    if (cushim_driver()->StreamCreate(&stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS)
        return 0;
    cushim_driver()->MemsetD8Async(*(CUdeviceptr *)data, 1, 4096, stream);
    cushim_driver()->StreamSynchronize(stream);
    cushim_driver()->StreamDestroy_v2(stream);
    return 0;
}

SWEEP_TEST(work_is_not_found_pending_whose_wait_has_failed)
{
    CUdeviceptr memory;

    sweep_options.settings = "schedule = lazy";
    sweep_options.setup = allocate;
    assert_int_equal(sweep_run(wait_and_give_back, &memory), CUDA_SUCCESS);
    assert_string_equal(sweep_why, "");
}

static int destroy_the_mock(void *data)
{
    return cushim_mock_destroy(cushim_mock_current()) != CUDA_SUCCESS;
}

static int destroy_the_layer(void *data)
{
    CUcontext context;

    cushim_driver()->Init(0);
    cushim_driver()->DevicePrimaryCtxRetain(&context, 0);
    cushim_layer_destroy(cushim_layer_current());
    return 0;
}

/* The sweep releases the primary contexts that it has retained. */
static void assert_a_test_begins_afresh(void)
{
    const struct cushim_test_options options = {.size = sizeof options};
    struct cushim_test *test;
    char text[200];
    CUcontext context;

    OK(cushim_test_begin(&options, &test));
    OK(cushim_driver()->Init(0));
    OK(cushim_driver()->DevicePrimaryCtxRetain(&context, 0));
    OK(cushim_driver()->DevicePrimaryCtxRelease_v2(0));
    cushim_test_end(test, text, sizeof text);
    assert_string_equal(text, "");
}

SWEEP_TEST(body_that_destroys_what_it_runs_on_is_found)
{
    static const char printed[] = "the body has destroyed the mock or the layer that it ran on";

    assert_int_equal(sweep_run(destroy_the_mock, NULL), CUDA_ERROR_ILLEGAL_STATE);
    CONTAINS(sweep_why, printed);
    assert_int_equal(sweep_run(destroy_the_layer, NULL), CUDA_ERROR_ILLEGAL_STATE);
    CONTAINS(sweep_why, printed);
    assert_a_test_begins_afresh();
}

/* If the allocation fails, the reference is leaked. */
static int retain_once_more(void *data)
{
    CUcontext context;
    CUdeviceptr memory;

    cushim_driver()->DevicePrimaryCtxRetain(&context, 0);
    if (cushim_driver()->MemAlloc_v2(&memory, 1) != CUDA_SUCCESS)
        return 0;
    cushim_driver()->MemFree_v2(memory);
    cushim_driver()->DevicePrimaryCtxRelease_v2(0);
    return 0;
}

static void release_twice(void *data)
{
    cushim_driver()->DevicePrimaryCtxRelease_v2(0);
    cushim_driver()->DevicePrimaryCtxRelease_v2(0);
}

SWEEP_TEST(reference_on_a_context_is_a_leak)
{
    sweep_options.functions = "cuMemAlloc_v2";
    sweep_options.kinds = CUSHIM_SWEEP_ONCE;
    sweep_options.setup = sweep_make_current;
    sweep_options.teardown = release_twice;
    assert_int_equal(sweep_run(retain_once_more, NULL), CUDA_ERROR_ILLEGAL_STATE);
    CONTAINS(sweep_why, "CUSHIM-leak-context: warning: context#1 is never released; made by ");
}

/* Functions that release something: a sweep fails them only on request. */

enum { RELEASES = 4 }; /* of SWEEP_CALLS */

SWEEP_TEST(releases_are_not_failed_unasked)
{
    sweep_options.fail_releases = false;
    sweep_assert_passed(sweep_once(IGNORES_RELEASES));
    assert_int_equal(sweep_result.calls, SWEEP_CALLS - RELEASES);
    assert_int_equal(sweep_result.swept, 2 * (SWEEP_CALLS - RELEASES));
}

SWEEP_TEST(releases_are_failed_on_request)
{
    sweep_options.fail_releases = true;
    sweep_options.kinds = CUSHIM_SWEEP_ONCE;
    CODE(CUDA_ERROR_ILLEGAL_STATE, sweep_once(IGNORES_RELEASES));
    assert_int_equal(sweep_result.calls, SWEEP_CALLS);
    assert_int_equal(sweep_result.failures, RELEASES);
}

SWEEP_TEST(release_that_is_named_is_failed)
{
    sweep_options.fail_releases = false;
    sweep_options.functions = "cuEventDestroy_v2";
    sweep_options.kinds = CUSHIM_SWEEP_ONCE;
    sweep_assert_found(IGNORES_RELEASES,
                       "call 31 of thread 1 (cuEventDestroy_v2) answered CUDA_ERROR_UNKNOWN, once: "
                       "the body answered 1; this run alone: first = last = 1, kinds = "
                       "CUSHIM_SWEEP_ONCE\n");
}

/* Sets the context that is already current, and later restores it without looking at the result. */
static int go_and_come_back(void *data)
{
    CUcontext context = NULL;
    CUresult code;

    cushim_driver()->CtxGetCurrent(&context);
    code = cushim_driver()->CtxSetCurrent(context);
    if (code == CUDA_SUCCESS) {
        code = cushim_driver()->CtxSetCurrent(NULL);
        cushim_driver()->CtxSetCurrent(context);
    }
    return code != cushim_sweep_injected(NULL);
}

SWEEP_TEST(context_that_is_restored_is_released)
{
    sweep_options.functions = "cuCtxSet*";
    sweep_options.setup = sweep_make_current;
    sweep_options.teardown = sweep_end_current;
    sweep_options.fail_releases = false;
    sweep_assert_passed(sweep_run(go_and_come_back, NULL));
    assert_int_equal(sweep_result.calls, 2);
    sweep_options.fail_releases = true;
    assert_int_equal(sweep_run(go_and_come_back, NULL), CUDA_ERROR_ILLEGAL_STATE);
    assert_int_equal(sweep_result.calls, 3);
}

/* How a sweep classifies functions, by their names. */

#define NO_MEMORY CUDA_ERROR_OUT_OF_MEMORY
#define UNKNOWN CUDA_ERROR_UNKNOWN

static const struct {
    const char *function;
    CUresult code;
    bool gives_back;
} cases[] = {
    {"cuInit", UNKNOWN, false},
    {"cuCtxCreate_v4", NO_MEMORY, false},
    {"cuDevicePrimaryCtxRetain", NO_MEMORY, false},
    {"cuDevicePrimaryCtxRelease_v2", UNKNOWN, true},
    {"cuCtxPushCurrent_v2", UNKNOWN, false},
    {"cuCtxPopCurrent_v2", UNKNOWN, true},
    {"cuMemAlloc_v2", NO_MEMORY, false},
    {"cuMemFreeAsync_ptsz", UNKNOWN, true},
    {"cuMemAddressReserve", NO_MEMORY, false},
    {"cuMemAddressFree", UNKNOWN, true},
    {"cuMemMap", NO_MEMORY, false},
    {"cuMemUnmap", UNKNOWN, true},
    {"cuMemHostRegister_v2", NO_MEMORY, false},
    {"cuMemHostUnregister", UNKNOWN, true},
    {"cuModuleLoadData", NO_MEMORY, false},
    {"cuModuleUnload", UNKNOWN, true},
    {"cuModuleGetLoadingMode", UNKNOWN, false},
    {"cuFuncIsLoaded", UNKNOWN, false},
    {"cuGraphAddKernelNode_v2", NO_MEMORY, false},
    {"cuGraphAddMemFreeNode", NO_MEMORY, false},
    {"cuGraphMemFreeNodeGetParams", UNKNOWN, false},
    {"cuGraphInstantiateWithParams", NO_MEMORY, false},
    {"cuGraphDestroyNode", UNKNOWN, true},
    {"cuGraphNodeFindInClone", UNKNOWN, false},
    {"cuIpcOpenMemHandle_v2", NO_MEMORY, false},
    {"cuIpcCloseMemHandle", UNKNOWN, true},
    {"cuStreamBeginCapture_v2", UNKNOWN, false},
    {"cuStreamEndCapture", UNKNOWN, true},
    {"cuLaunchKernel", UNKNOWN, false},
    {"cuEventQuery", UNKNOWN, false},
};

/* The slot of an exported name. */
static unsigned slot_of(const char *function)
{
    unsigned slot = 0;

    while (slot < CUSHIM__SYMBOL_COUNT && strcmp(cushim__slot_name(slot), function) != 0)
        slot++;
    assert_true(slot < CUSHIM__SYMBOL_COUNT);
    return slot;
}

TEST_ALONE(registry_says_what_is_released_and_what_is_usual)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (!cushim__sweep_means_any(cases[i].function, true))
            fail_msg("there is no %s", cases[i].function);
        if (cushim__sweep_releases(slot_of(cases[i].function)) != cases[i].gives_back)
            fail_msg("%s is wrongly known to release something, or not to", cases[i].function);
        if (cushim__sweep_usual_code(slot_of(cases[i].function)) != cases[i].code)
            fail_msg("the usual code of %s is not %d", cases[i].function, (int)cases[i].code);
    }
}

TEST_ALONE(release_is_spared_unless_it_is_named)
{
    assert_true(cushim__sweep_is_spared(slot_of("cuEventDestroy_v2"), NULL));
    assert_true(cushim__sweep_is_spared(slot_of("cuEventDestroy_v2"), "cuEvent*"));
    assert_false(cushim__sweep_is_spared(slot_of("cuEventDestroy_v2"), "cuEventDestroy_v2"));
    assert_false(cushim__sweep_is_spared(slot_of("cuEventCreate"), NULL));
    assert_false(cushim__sweep_is_spared(slot_of("cuStreamEndCapture"), NULL));
    assert_true(cushim__sweep_means_any("cu*Destroy*", false));
    assert_false(cushim__sweep_means_any("cu*Destroy*", true));
}

TEST_ALONE(star_stands_for_any_letters)
{
    assert_true(cushim__sweep_is_meant(CUSHIM__SLOT(MemAlloc_v2), "cuMem*"));
    assert_true(cushim__sweep_is_meant(CUSHIM__SLOT(MemAlloc_v2), "*"));
    assert_true(cushim__sweep_is_meant(CUSHIM__SLOT(MemAlloc_v2), "*Alloc*"));
    assert_true(cushim__sweep_is_meant(CUSHIM__SLOT(MemAlloc_v2), "cuMemAlloc_v2*"));
    assert_true(cushim__sweep_is_meant(CUSHIM__SLOT(MemAlloc_v2), "cuMemAlloc"));
    assert_false(cushim__sweep_is_meant(CUSHIM__SLOT(MemAllocHost_v2), "cuMemAlloc"));
    assert_false(cushim__sweep_is_meant(CUSHIM__SLOT(MemAlloc_v2), "*Alloc"));
    assert_false(cushim__sweep_is_meant(CUSHIM__SLOT(MemAlloc), "cuMemAlloc_v2"));
    assert_false(cushim__sweep_is_meant(CUSHIM__SLOT(MemAlloc_v2), ""));
}
