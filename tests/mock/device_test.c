/* SPDX-License-Identifier: Apache-2.0 */
/* Devices: their number, their properties, and how programs distinguish them. */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include <limits.h>

#include "tests/mock/fixture.h"

BARE_TEST(attributes_are_the_profiles)
{
    int value = -5;

    bare_begin("devices = 2\nattribute.MULTIPROCESSOR_COUNT = 7\n");
    OK(driver->DeviceGetCount(&value));
    assert_int_equal(value, 2);
    OK(driver->DeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 1));
    assert_int_equal(value, 9);
    OK(driver->DeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
    assert_int_equal(value, 7);
    for (int i = 1; i <= 147; i++)
        OK(driver->DeviceGetAttribute(&value, (CUdevice_attribute)i, 0));
}

BARE_TEST(attributes_that_no_device_has_are_refused)
{
    static const int numbers[] = {-1, 0, 148, 191, 192, 9999, INT_MAX, INT_MIN};
    int value = -5;

    bare_begin(NULL);
    for (size_t i = 0; i < COUNT(numbers); i++) {
        const CUdevice_attribute attribute = (CUdevice_attribute)numbers[i];
        CODE(CUDA_ERROR_INVALID_VALUE, driver->DeviceGetAttribute(&value, attribute, 0));
        /* The device is checked first. */
        CODE(CUDA_ERROR_INVALID_DEVICE, driver->DeviceGetAttribute(&value, attribute, 5));
    }
    assert_int_equal(value, -5);
}

BARE_TEST(functions_of_devices_refuse_one_that_does_not_exist)
{
    unsigned mask = 7;
    size_t bytes = 7;
    int value = 7;
    CUuuid uuid;
    char text[16];

    bare_begin("devices = 2");
    CODE(CUDA_ERROR_INVALID_DEVICE, driver->DeviceComputeCapability(&value, &value, 2));
    CODE(CUDA_ERROR_INVALID_DEVICE, driver->DeviceTotalMem_v2(&bytes, 2));
    CODE(CUDA_ERROR_INVALID_DEVICE, driver->DeviceCanAccessPeer(&value, 0, 2));
    CODE(CUDA_ERROR_INVALID_DEVICE, driver->DeviceCanAccessPeer(&value, 2, 2));
    CODE(CUDA_ERROR_INVALID_DEVICE, driver->DeviceGetLuid(text, &mask, 2));
    CODE(CUDA_ERROR_INVALID_DEVICE, driver->DeviceGetName(text, sizeof text, 2));
    CODE(CUDA_ERROR_INVALID_DEVICE, driver->DeviceGetUuid_v2(&uuid, 2));
    assert_true(value == 7 && bytes == 0 && mask == 7);
}

BARE_TEST(the_first_abi_says_the_same_as_attributes)
{
    CUdevprop properties;
    int major = -5, minor = -5;

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
    OK(driver->DeviceComputeCapability(&major, &minor, 0));
    assert_int_equal(major * 10 + minor, 90);
}

BARE_TEST(memory_is_what_was_set_and_saturates_in_32_bits)
{
    unsigned narrow[2] = {1, 1};
    size_t bytes = 1;

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
}

BARE_TEST(linear_textures_have_the_measured_widths)
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

    bare_begin(NULL);
    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t width = 0;
        CODE(cases[i].width ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE,
             driver->DeviceGetTexture1DLinearMaxWidth(&width, cases[i].format, cases[i].channels,
                                                      0));
        assert_true(width == cases[i].width);
    }
}

BARE_TEST(what_an_h200_has_not_is_reported_so)
{
    char luid[8] = "#######";
    unsigned mask = 5;
    int value = -5;

    bare_begin(NULL);
    CODE(CUDA_ERROR_NOT_SUPPORTED, driver->DeviceGetLuid(luid, &mask, 0));
    assert_string_equal(luid, "#######");
    assert_int_equal(mask, 5);
    CODE(CUDA_ERROR_INVALID_VALUE, driver->DeviceGetNvSciSyncAttributes(luid, 0, 0));
    CODE(CUDA_ERROR_NOT_SUPPORTED, driver->DeviceGetNvSciSyncAttributes(luid, 0, 1));
    OK(driver->DeviceGetExecAffinitySupport(&value, 0, 0));
    assert_int_equal(value, 0);
}

BARE_TEST(writes_of_other_devices_are_flushed_in_a_context)
{
    CUcontext context;

    bare_begin(NULL);
    CODE(CUDA_ERROR_INVALID_CONTEXT, driver->FlushGPUDirectRDMAWrites(0, 100));
    OK(driver->CtxCreate_v2(&context, 0, 0));
    OK(driver->FlushGPUDirectRDMAWrites(0, 100));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->FlushGPUDirectRDMAWrites(0, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->FlushGPUDirectRDMAWrites(9, 100));
    OK(driver->CtxDestroy_v2(context));
}

/* How devices are distinguished: by name, UUID and PCI address. */

BARE_TEST(a_name_is_cut_to_its_room)
{
    char name[16];

    bare_begin(NULL);
    OK(driver->DeviceGetName(name, sizeof name, 0));
    assert_string_equal(name, "NVIDIA H200");
    memset(name, '#', sizeof name);
    OK(driver->DeviceGetName(name, 5, 0));
    assert_memory_equal(name, "NVID\0##", 7);
    OK(driver->DeviceGetName(name, -1, 0));
    assert_string_equal(name, "NVIDIA H200");
}

BARE_TEST(a_name_without_room_is_a_misuse)
{
    char name = '#';

    bare_begin(NULL);
    CODE(CUDA_ERROR_INVALID_VALUE, driver->DeviceGetName(&name, 0, 0));
    assert_int_equal(name, '#');
    assert_non_null(cushim_mock_misuse(fixture_mock, 0));
    CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_mock_destroy(fixture_mock));
    fixture_mock = NULL;
}

BARE_TEST(uuids_are_of_the_seed_and_of_the_device)
{
    CUuuid first, second, old;

    bare_begin("devices = 2\nseed = 5");
    first = bare_uuid(0);
    second = bare_uuid(1);
    assert_false(bare_same_uuid(first, second));
    OK(driver->DeviceGetUuid(&old, 1));
    assert_true(bare_same_uuid(old, second));
    bare_end();
    bare_begin("devices = 2\nseed = 5\nmode = manual");
    assert_true(bare_same_uuid(first, bare_uuid(0)));
    bare_end();
    bare_begin("seed = 6");
    assert_false(bare_same_uuid(first, bare_uuid(0)));
}

BARE_TEST(a_device_is_found_by_its_address)
{
    static const char *const right[] = {"0000:0B:00.0", "0000:0b:00.0", "0b:00.0", "0000:0B:00",
                                        "b:0"};
    static const char *const wrong[] = {"garbage",       "",           "0b",    ":0b:00.0",
                                        "0000:0b:00.0x", "0:0b:0:0.0", "0b:00."};
    char text[16] = "";
    CUdevice device;

    bare_begin("devices = 11");
    OK(driver->DeviceGetPCIBusId(text, 13, 10));
    assert_string_equal(text, right[0]);
    for (size_t i = 0; i < COUNT(right); i++) {
        device = -5;
        OK(driver->DeviceGetByPCIBusId(&device, right[i]));
        assert_int_equal(device, 10);
    }
    for (size_t i = 0; i < COUNT(wrong); i++)
        CODE(CUDA_ERROR_INVALID_VALUE, driver->DeviceGetByPCIBusId(&device, wrong[i]));
    CODE(CUDA_ERROR_INVALID_DEVICE, driver->DeviceGetByPCIBusId(&device, "0000:77:11.0"));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->DeviceGetByPCIBusId(NULL, right[0]));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->DeviceGetPCIBusId(text, 12, 0));
}

BARE_TEST(the_address_is_reported_by_attributes_too)
{
    int bus = -5, device = -5, domain = -5;

    bare_begin("devices = 11\nattribute.PCI_BUS_ID = 99\nattribute.PCI_DOMAIN_ID = 99\n");
    OK(driver->DeviceGetAttribute(&bus, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, 10));
    OK(driver->DeviceGetAttribute(&device, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID, 10));
    OK(driver->DeviceGetAttribute(&domain, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, 10));
    assert_true(bus == 11 && device == 0 && domain == 0);
}
