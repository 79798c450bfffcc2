/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images that once caused wrong accesses, through the driver's own functions: loaded, queried,
 * launched and unloaded. tests/fuzz/image_target.c has images with any damage.
 */
#include <stdio.h>
#include <string.h>

#include <cushim/testing/mock.h>

#include "tests/mock/cubin.h"
#include "tests/support/cmocka.h"

enum { PARAMETERS = 70000, PARAMETER_BYTES = 1 << 18 };

static struct cushim_mock *mock;
static const struct cushim_table *driver;
static void *values[PARAMETERS];

/* Call everything that a program can call for a kernel; any code may come. */
static void use(CUfunction function)
{
    size_t bytes, offset;
    int count, threads;

    for (int attribute = 0; attribute < 18; attribute++) {
        int value = 0;

        driver->FuncGetAttribute(&value, (CUfunction_attribute)attribute, function);
        driver->FuncSetAttribute(function, (CUfunction_attribute)attribute, value);
    }
    driver->OccupancyMaxActiveBlocksPerMultiprocessor(&count, function, 32, 100);
    driver->OccupancyMaxPotentialBlockSize(&count, &threads, function, NULL, 0, 0);
    driver->OccupancyAvailableDynamicSMemPerBlock(&bytes, function, 1, 32);
    for (size_t k = 0; k < 4; k++)
        driver->FuncGetParamInfo(function, k, &bytes, &offset);
    driver->LaunchKernel(function, 1, 1, 1, 32, 2, 1, 0, NULL, values, NULL);
    driver->LaunchKernel(function, 2, 1, 1, 1, 1, 1, 100, NULL, values, NULL);
}

static CUresult launch_of(const void *image)
{
    CUmodule module;
    CUfunction function;
    CUresult code = driver->ModuleLoadData(&module, image);

    if (code != CUDA_SUCCESS)
        return code;
    code = driver->ModuleGetFunction(&function, module, "scale");
    if (code == CUDA_SUCCESS)
        code = driver->LaunchKernel(function, 1, 1, 1, 32, 2, 1, 0, NULL, values, NULL);
    assert_int_equal(driver->CtxSynchronize(), CUDA_SUCCESS);
    assert_int_equal(driver->ModuleUnload(module), CUDA_SUCCESS);
    return code;
}

/* The last parameter in the list does not have the highest offset. */
TEST_ALONE(parameters_in_any_order_have_room)
{
    static unsigned char cubin[CUBIN_BYTES];
    const unsigned char ordinals[2][4] = {{0, 0, 0, 0}, {0, 0, 0xf0, 0xff}};
    size_t at, section, size = cubin_make(cubin, 90);
    uint64_t offset;

    section = cubin_section(cubin, ".nv.info.scale");
    memcpy(&offset, cubin + section + 24, sizeof offset);
    for (at = (size_t)offset; at + 16 <= size; at++) {
        if (cubin[at] == 0x04 && cubin[at + 1] == 0x17 &&
            memcmp(cubin + at + 8, ordinals[0], 4) == 0)
            memcpy(cubin + at + 8, ordinals[1], 4);
    }
    assert_int_equal(launch_of(cubin), CUDA_SUCCESS);
}

/* A section without bytes in the file claims a size. */
TEST_ALONE(attributes_without_bytes_are_not_read)
{
    static const char *const names[] = {".nv.info", ".nv.info.scale"};
    static unsigned char cubin[CUBIN_BYTES];
    const uint32_t without_bytes = 8;
    const uint64_t far[] = {UINT64_C(1) << 40, UINT64_C(1) << 20};

    for (size_t i = 0; i < COUNT(names); i++) {
        size_t section;

        cubin_make(cubin, 90);
        section = cubin_section(cubin, names[i]);
        memcpy(cubin + section + 4, &without_bytes, sizeof without_bytes);
        memcpy(cubin + section + 24, far, sizeof far);
        launch_of(cubin);
    }
}

TEST_ALONE(parameters_beyond_all_bounds_are_refused)
{
    static const char head[] = ".version 6.0\n.target sm_50\n.address_size 64\n.entry scale(";
    static const char one[] = ".param .b8 p[1099511627776],";
    static char text[sizeof head + 8 * sizeof one + 64];

    strcpy(text, head);
    for (int i = 0; i < 8; i++)
        strcat(text, one);
    strcat(text, ".param .u8 q) { ret; }\n");
    assert_int_equal(launch_of(text), CUDA_ERROR_INVALID_PTX);
}

/* Sizes at and beyond the limits of int. Whether a launch succeeds does not matter here. */
TEST_ALONE(shared_memory_beyond_all_bounds_is_much)
{
    static const char *const sizes[] = {"2147483648", "2147483647", "4294967295", "4294967296",
                                        "1099511627776"};
    CUfunction function;
    CUmodule module;
    char text[512];
    int bytes = 0;

    for (size_t i = 0; i < COUNT(sizes); i++) {
        snprintf(text, sizeof text,
                 ".version 6.0\n.target sm_50\n.address_size 64\n"
                 ".entry scale() { .shared .b8 t[%s]; ret; }\n",
                 sizes[i]);
        assert_int_equal(driver->ModuleLoadData(&module, text), CUDA_SUCCESS);
        assert_int_equal(driver->ModuleGetFunction(&function, module, "scale"), CUDA_SUCCESS);
        assert_int_equal(
            driver->FuncGetAttribute(&bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function),
            CUDA_SUCCESS);
        assert_int_equal(bytes, 1 << 30);
        use(function);
        assert_int_equal(driver->CtxSynchronize(), CUDA_SUCCESS);
        assert_int_equal(driver->ModuleUnload(module), CUDA_SUCCESS);
    }
}

static int setup(void **state)
{
    const struct cushim_mock_options options = {
        .size = sizeof options, .settings = "unregistered_kernels = skip\nmode = auto\n"};
    static unsigned char data[PARAMETER_BYTES];
    CUcontext context;

    for (size_t i = 0; i < PARAMETERS; i++)
        values[i] = data;
    assert_int_equal(cushim_mock_create(&options, &mock), CUDA_SUCCESS);
    driver = cushim_mock_table(mock);
    assert_int_equal(driver->Init(0), CUDA_SUCCESS);
    assert_int_equal(driver->DevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
    assert_int_equal(driver->CtxSetCurrent(context), CUDA_SUCCESS);
    return 0;
}

static int teardown(void **state)
{
    assert_int_equal(driver->DevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
    assert_int_equal(cushim_mock_destroy(mock), CUDA_SUCCESS);
    return 0;
}

int main(void)
{
    return run_all_tests(setup, teardown);
}
