/* SPDX-License-Identifier: Apache-2.0 */
/* Devices, and UUIDs as text. */
#include "testkit.h"

#include "src/base/system.h"

/* An attribute that some toolkit headers do not declare. */
enum { IPC_EVENTS = 125 };

/* The driver's attributes in a test; -1: the driver does not know the attribute. */
static struct {
    int attribute, value;
} attributes[3];

static CUresult CUDAAPI get_attribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    for (size_t i = 0; i < COUNT(attributes); i++) {
        if (attributes[i].attribute != (int)attribute)
            continue;
        if (attributes[i].value < 0)
            return CUDA_ERROR_INVALID_VALUE;
        *value = attributes[i].value;
        return CUDA_SUCCESS;
    }
    return testkit.driver->DeviceGetAttribute(value, attribute, device);
}

static void set_attribute(size_t index, int attribute, int value)
{
    attributes[index].attribute = attribute;
    attributes[index].value = value;
    cushim_layer_next(testkit.layer)->DeviceGetAttribute = get_attribute;
}

/* --- finding devices --- */

TEST(device_is_found_by_its_uuid)
{
    const CUuuid none = {{0}};
    CUdevice device = 7;
    CUuuid uuid;

    OK(cushim_device_get_uuid(1, &uuid));
    testkit_forget();
    OK(cushim_device_get_by_uuid(&uuid, &device));
    assert_int_equal(device, 1);
    assert_calls("cuDeviceGetCount cuDeviceGet cuDeviceGetUuid_v2 cuDeviceGet cuDeviceGetUuid_v2");
    CODE(CUDA_ERROR_INVALID_DEVICE, cushim_device_get_by_uuid(&none, &device));
    assert_int_equal(device, 1);
}

TEST(driver_without_the_newer_uuid_is_asked_for_the_older_one)
{
    CUuuid uuid, older;

    OK(cushim_device_get_uuid(1, &uuid));
    testkit_forget();
    testkit_fault("cuDeviceGetUuid_v2 => missing");
    OK(cushim_device_get_uuid(1, &older));
    assert_calls("cuDeviceGetUuid_v2 cuDeviceGetUuid");
    assert_memory_equal(&uuid, &older, sizeof uuid);
}

/* --- properties --- */

TEST(priorities_are_asked_for_in_the_primary_context)
{
    int least = 99, greatest = 99;

    OK(cushim_device_get_stream_priority_range(1, &least, &greatest));
    assert_int_equal(least, 0);
    assert_int_equal(greatest, -5);
    assert_calls("cuDevicePrimaryCtxRetain cuCtxGetCurrent cuCtxPushCurrent_v2(context#4) "
                 "cuCtxGetStreamPriorityRange cuCtxPopCurrent_v2 cuDevicePrimaryCtxRelease_v2");
}

TEST(support_of_ipc_events_is_an_attribute)
{
    bool supported = false;

    OK(cushim_device_get_ipc_event_support(1, &supported));
    assert_true(supported);
    set_attribute(0, IPC_EVENTS, 0);
    OK(cushim_device_get_ipc_event_support(1, &supported));
    assert_false(supported);
    assert_calls("cuDeviceGetAttribute cuDeviceGetAttribute");
}

TEST(driver_without_that_attribute_shares_events_of_discrete_devices)
{
    static const struct {
        int unified, integrated;
        bool supported;
    } cases[] = {{1, 0, true}, {0, 0, false}, {1, 1, false}, {0, 1, false}};
    bool supported;

    set_attribute(0, IPC_EVENTS, -1);
    for (size_t i = 0; i < COUNT(cases); i++) {
        set_attribute(1, CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, cases[i].unified);
        set_attribute(2, CU_DEVICE_ATTRIBUTE_INTEGRATED, cases[i].integrated);
        OK(cushim_device_get_ipc_event_support(1, &supported));
        assert_int_equal(supported, cases[i].supported && !cushim__system_is_windows);
    }
}

/* --- arguments --- */

TEST(number_that_is_no_device_is_the_drivers_to_refuse)
{
    int least, greatest;
    bool supported;
    CUuuid uuid;

    CODE(CUDA_ERROR_INVALID_DEVICE, cushim_device_get_uuid(-1, &uuid));
    CODE(CUDA_ERROR_INVALID_DEVICE, cushim_device_get_stream_priority_range(99, &least, &greatest));
    CODE(CUDA_ERROR_INVALID_DEVICE, cushim_device_get_ipc_event_support(99, &supported));
    assert_calls("cuDeviceGetUuid_v2 cuDevicePrimaryCtxRetain "
                 "cuDeviceGetAttribute");
}

/* --- UUIDs as text --- */

#define DIGITS "4d656f1c-7a3b-1d2e-9f80-01234567abff"

static const unsigned char uuid_bytes[16] = {0x4d, 0x65, 0x6f, 0x1c, 0x7a, 0x3b, 0x1d, 0x2e,
                                             0x9f, 0x80, 0x01, 0x23, 0x45, 0x67, 0xab, 0xff};

TEST_ALONE(uuid_is_written_in_five_groups_after_gpu)
{
    CUuuid uuid;
    char text[CUSHIM_DEVICE_UUID_SIZE + 1];

    memcpy(uuid.bytes, uuid_bytes, sizeof uuid_bytes);
    memset(text, '!', sizeof text);
    OK(cushim_device_format_uuid(&uuid, text));
    assert_string_equal(text, "GPU-" DIGITS);
    assert_int_equal(strlen(text) + 1, CUSHIM_DEVICE_UUID_SIZE);
    assert_int_equal(text[CUSHIM_DEVICE_UUID_SIZE], '!');
}

TEST_ALONE(uuid_is_read_with_and_without_a_prefix_and_in_either_case)
{
    static const char *const texts[] = {
        "GPU-" DIGITS,
        "MIG-" DIGITS,
        DIGITS,
        "GPU-4D656F1C-7A3B-1D2E-9F80-01234567ABFF",
    };

    for (size_t i = 0; i < COUNT(texts); i++) {
        CUuuid uuid;

        memset(&uuid, 0, sizeof uuid);
        OK(cushim_device_parse_uuid(texts[i], &uuid));
        assert_memory_equal(uuid.bytes, uuid_bytes, sizeof uuid_bytes);
    }
}

TEST_ALONE(text_that_is_no_uuid_is_refused_and_writes_nothing)
{
    static const char *const texts[] = {
        "",
        "GPU-",
        "gpu-" DIGITS,
        "GPU-GPU-" DIGITS,
        " " DIGITS,
        DIGITS " ",
        DIGITS "0",
        "GPU-4d656f1c",
        "4d656f1c-7a3b-1d2e-9f80-01234567abf",
        "4d656f1c-7a3b-1d2e-9f80-01234567abfg",
        "4d656f1c-7a3b-1d2e-9f80-01234567ab-ff",
        "4d656f1c7a3b1d2e9f8001234567abff",
        "4d656f1c_7a3b-1d2e-9f80-01234567abff",
        "4d656f1-c7a3b-1d2e-9f80-01234567abff",
        "MIG-GPU-" DIGITS "/1/0",
    };
    CUuuid uuid, before;

    memset(&uuid, 0x5a, sizeof uuid);
    before = uuid;
    for (size_t i = 0; i < COUNT(texts); i++) {
        CODE(CUDA_ERROR_INVALID_VALUE, cushim_device_parse_uuid(texts[i], &uuid));
        assert_memory_equal(&uuid, &before, sizeof uuid);
    }
}
