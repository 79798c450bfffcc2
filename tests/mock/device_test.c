/* SPDX-License-Identifier: Apache-2.0 */
/* Devices: which there are, and what they can do. */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include <limits.h>

#include "tests/mock/world.h"

static void ordinals_begin_at_0_and_end(void **state)
{
    CUdevice device = -5;
    int count = -5;

    (void)state;
    bare_begin("devices = 3");
    OK(driver->DeviceGetCount(&count));
    assert_int_equal(count, 3);
    for (int i = 0; i < 3; i++) {
        OK(driver->DeviceGet(&device, i));
        assert_int_equal(device, i);
    }
    CODE(CUDA_ERROR_INVALID_DEVICE, driver->DeviceGet(&device, 3));
    CODE(CUDA_ERROR_INVALID_DEVICE, driver->DeviceGet(&device, -1));
    assert_int_equal(device, 2);
    CODE(CUDA_ERROR_INVALID_VALUE, driver->DeviceGet(NULL, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->DeviceGetCount(NULL));
    bare_end();
}

static void attributes_are_the_profiles(void **state)
{
    int value = -5;

    (void)state;
    bare_begin("devices = 2\nattribute.MULTIPROCESSOR_COUNT = 7\n");
    OK(driver->DeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 1));
    assert_int_equal(value, 9);
    OK(driver->DeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
    assert_int_equal(value, 7);
    for (int i = 1; i <= 147; i++)
        OK(driver->DeviceGetAttribute(&value, (CUdevice_attribute)i, 0));
    bare_end();
}

static void attributes_that_no_device_has_are_refused(void **state)
{
    static const int numbers[] = {-1, 0, 148, 191, 192, 9999, INT_MAX, INT_MIN};
    int value = -5;

    (void)state;
    bare_begin(NULL);
    for (size_t i = 0; i < COUNT(numbers); i++) {
        const CUdevice_attribute attribute = (CUdevice_attribute)numbers[i];
        CODE(CUDA_ERROR_INVALID_VALUE, driver->DeviceGetAttribute(&value, attribute, 0));
        /* The device is looked at first. */
        CODE(CUDA_ERROR_INVALID_DEVICE, driver->DeviceGetAttribute(&value, attribute, 5));
    }
    assert_int_equal(value, -5);
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->DeviceGetAttribute(NULL, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
    bare_end();
}

static void the_first_abi_says_the_same_as_attributes(void **state)
{
    CUdevprop properties;
    int major = -5, minor = -5;

    (void)state;
    bare_begin(NULL);
    OK(driver->DeviceGetProperties(&properties, 0));
    assert_int_equal(properties.maxThreadsPerBlock, 1024);
    assert_int_equal(properties.maxThreadsDim[2], 64);
    assert_int_equal(properties.maxGridSize[1], 65535);
    assert_int_equal(properties.sharedMemPerBlock, 49152);
    assert_int_equal(properties.totalConstantMemory, 65536);
    assert_int_equal(properties.SIMDWidth, 32);
    assert_int_equal(properties.memPitch, INT_MAX);
    assert_int_equal(properties.regsPerBlock, 65536);
    assert_int_equal(properties.clockRate, 1980000);
    assert_int_equal(properties.textureAlign, 512);
    CODE(CUDA_ERROR_INVALID_VALUE, driver->DeviceGetProperties(NULL, 0));
    OK(driver->DeviceComputeCapability(&major, &minor, 0));
    assert_int_equal(major * 10 + minor, 90);
    CODE(CUDA_ERROR_INVALID_VALUE, driver->DeviceComputeCapability(NULL, &minor, 0));
    CODE(CUDA_ERROR_INVALID_DEVICE, driver->DeviceComputeCapability(&major, &minor, 4));
    bare_end();
}

static void memory_is_what_was_set_and_saturates_in_32_bits(void **state)
{
    unsigned narrow[2] = {1, 1};
    size_t bytes = 1;

    (void)state;
    bare_begin("memory = 8 GiB");
    OK(driver->DeviceTotalMem_v2(&bytes, 0));
    assert_true(bytes == (size_t)8 << 30);
    OK(driver->DeviceTotalMem(narrow, 0));
    assert_true(narrow[0] == UINT_MAX);
    assert_int_equal(narrow[1], 1);
    bare_end();
    bare_begin("memory = 2 GiB");
    OK(driver->DeviceTotalMem(narrow, 0));
    assert_true(narrow[0] == 0x80000000u);
    CODE(CUDA_ERROR_INVALID_VALUE, driver->DeviceTotalMem_v2(NULL, 0));
    CODE(CUDA_ERROR_INVALID_DEVICE, driver->DeviceTotalMem_v2(&bytes, 9));
    bare_end();
}

static void devices_reach_each_other_and_not_themselves(void **state)
{
    int value = -5;

    (void)state;
    bare_begin("devices = 2");
    OK(driver->DeviceCanAccessPeer(&value, 0, 1));
    assert_int_equal(value, 1);
    OK(driver->DeviceCanAccessPeer(&value, 1, 1));
    assert_int_equal(value, 0);
    CODE(CUDA_ERROR_INVALID_DEVICE, driver->DeviceCanAccessPeer(&value, 0, 2));
    CODE(CUDA_ERROR_INVALID_DEVICE, driver->DeviceCanAccessPeer(&value, 2, 2));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->DeviceCanAccessPeer(NULL, 0, 0));
    value = -5;
    CODE(CUDA_ERROR_INVALID_DEVICE,
         driver->DeviceGetP2PAttribute(&value, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 0));
    assert_int_equal(value, -5);
    OK(driver->DeviceGetP2PAttribute(&value, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 1));
    assert_int_equal(value, 1);
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->DeviceGetP2PAttribute(&value, (CUdevice_P2PAttribute)99, 0, 1));
    bare_end();
}

static void linear_textures_have_the_measured_widths(void **state)
{
    static const struct {
        CUarray_format format;
        unsigned channels;
        size_t width;
    } cases[] = {
        {CU_AD_FORMAT_UNSIGNED_INT8, 1, (size_t)1 << 30},
        {CU_AD_FORMAT_UNSIGNED_INT8, 4, (size_t)1 << 30},
        {CU_AD_FORMAT_HALF, 4, (size_t)1 << 29},
        {CU_AD_FORMAT_FLOAT, 2, (size_t)1 << 29},
        {CU_AD_FORMAT_FLOAT, 4, (size_t)1 << 28},
        {CU_AD_FORMAT_FLOAT, 3, 0},
        {(CUarray_format)0x77, 1, 0},
    };

    (void)state;
    bare_begin(NULL);
    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t width = 0;
        CODE(cases[i].width ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE,
             driver->DeviceGetTexture1DLinearMaxWidth(&width, cases[i].format, cases[i].channels,
                                                      0));
        assert_true(width == cases[i].width);
    }
    bare_end();
}

static void what_an_h200_has_not_is_told_so(void **state)
{
    char luid[8] = "#######";
    unsigned mask = 5;
    int value = -5;

    (void)state;
    bare_begin(NULL);
    CODE(CUDA_ERROR_NOT_SUPPORTED, driver->DeviceGetLuid(luid, &mask, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->DeviceGetLuid(NULL, NULL, 0));
    CODE(CUDA_ERROR_INVALID_DEVICE, driver->DeviceGetLuid(luid, &mask, 1));
    assert_string_equal(luid, "#######");
    assert_int_equal(mask, 5);
    CODE(CUDA_ERROR_INVALID_HANDLE, driver->DeviceGetNvSciSyncAttributes(NULL, 0, 1));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->DeviceGetNvSciSyncAttributes(luid, 0, 0));
    CODE(CUDA_ERROR_NOT_SUPPORTED, driver->DeviceGetNvSciSyncAttributes(luid, 0, 1));
    OK(driver->DeviceGetExecAffinitySupport(&value, 0, 0));
    assert_int_equal(value, 0);
    bare_end();
}

static void writes_of_other_devices_are_flushed_in_a_context(void **state)
{
    CUcontext context;

    (void)state;
    bare_begin(NULL);
    CODE(CUDA_ERROR_INVALID_CONTEXT, driver->FlushGPUDirectRDMAWrites(0, 100));
    OK(driver->CtxCreate_v2(&context, 0, 0));
    OK(driver->FlushGPUDirectRDMAWrites(0, 100));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->FlushGPUDirectRDMAWrites(0, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->FlushGPUDirectRDMAWrites(9, 100));
    OK(driver->CtxDestroy_v2(context));
    bare_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BARE_TEST(ordinals_begin_at_0_and_end),
        BARE_TEST(attributes_are_the_profiles),
        BARE_TEST(attributes_that_no_device_has_are_refused),
        BARE_TEST(the_first_abi_says_the_same_as_attributes),
        BARE_TEST(memory_is_what_was_set_and_saturates_in_32_bits),
        BARE_TEST(devices_reach_each_other_and_not_themselves),
        BARE_TEST(linear_textures_have_the_measured_widths),
        BARE_TEST(what_an_h200_has_not_is_told_so),
        BARE_TEST(writes_of_other_devices_are_flushed_in_a_context),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
