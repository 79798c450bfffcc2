/* SPDX-License-Identifier: Apache-2.0 */
/* What functions are to a sweep, by their names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "src/layer/sweep/sort.h"

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

static void names_say_what_is_given_back_and_what_is_usual(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (!cushim__sweep_means_any(cases[i].function, true))
            fail_msg("there is no %s", cases[i].function);
        if (cushim__sweep_gives_back(cases[i].function) != cases[i].gives_back)
            fail_msg("%s gives something back, or does not", cases[i].function);
        if (cushim__sweep_usual_code(cases[i].function) != cases[i].code)
            fail_msg("%s usually answers %d", cases[i].function, (int)cases[i].code);
    }
}

static void release_is_spared_unless_it_is_named(void **state)
{
    (void)state;
    assert_true(cushim__sweep_is_spared("cuEventDestroy_v2", NULL));
    assert_true(cushim__sweep_is_spared("cuEventDestroy_v2", "cuEvent*"));
    assert_false(cushim__sweep_is_spared("cuEventDestroy_v2", "cuEventDestroy_v2"));
    assert_false(cushim__sweep_is_spared("cuEventCreate", NULL));
    assert_false(cushim__sweep_is_spared("cuStreamEndCapture", NULL));
    assert_true(cushim__sweep_means_any("cu*Destroy*", false));
    assert_false(cushim__sweep_means_any("cu*Destroy*", true));
}

static void star_stands_for_any_letters(void **state)
{
    (void)state;
    assert_true(cushim__sweep_is_meant("cuMemAlloc_v2", "cuMem*"));
    assert_true(cushim__sweep_is_meant("cuMemAlloc_v2", "*"));
    assert_true(cushim__sweep_is_meant("cuMemAlloc_v2", "*Alloc*"));
    assert_true(cushim__sweep_is_meant("cuMemAlloc_v2", "cuMemAlloc_v2*"));
    assert_false(cushim__sweep_is_meant("cuMemAlloc_v2", "cuMemAlloc"));
    assert_false(cushim__sweep_is_meant("cuMemAlloc_v2", "*Alloc"));
    assert_false(cushim__sweep_is_meant("cuMemAlloc", "cuMemAlloc_v2"));
    assert_false(cushim__sweep_is_meant("cuMemAlloc_v2", ""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_say_what_is_given_back_and_what_is_usual),
        cmocka_unit_test(release_is_spared_unless_it_is_named),
        cmocka_unit_test(star_stands_for_any_letters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
