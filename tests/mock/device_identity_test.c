/* SPDX-License-Identifier: Apache-2.0 */
/* How devices are told apart: name, UUID, address. */
#include <string.h>

#include "tests/mock/world.h"

static void a_name_is_cut_to_its_room(void **state)
{
    char name[16];

    (void)state;
    bare_begin(NULL);
    OK(driver->DeviceGetName(name, sizeof name, 0));
    assert_string_equal(name, "NVIDIA H200");
    memset(name, '#', sizeof name);
    OK(driver->DeviceGetName(name, 5, 0));
    assert_memory_equal(name, "NVID\0##", 7);
    OK(driver->DeviceGetName(name, -1, 0));
    assert_string_equal(name, "NVIDIA H200");
    CODE(CUDA_ERROR_INVALID_VALUE, driver->DeviceGetName(NULL, 5, 0));
    CODE(CUDA_ERROR_INVALID_DEVICE, driver->DeviceGetName(name, 5, 1));
    bare_end();
}

static void a_name_without_room_is_a_violation(void **state)
{
    char name = '#';

    (void)state;
    bare_begin(NULL);
    CODE(CUDA_ERROR_INVALID_VALUE, driver->DeviceGetName(&name, 0, 0));
    assert_int_equal(name, '#');
    assert_non_null(cushim_mock_violation(world, 0));
    CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_mock_destroy(world));
    world = NULL;
}

static void uuids_are_of_the_seed_and_of_the_device(void **state)
{
    CUuuid first, second, old;

    (void)state;
    bare_begin("devices = 2\nseed = 5");
    first = bare_uuid(0);
    second = bare_uuid(1);
    assert_false(bare_same_uuid(first, second));
    OK(driver->DeviceGetUuid(&old, 1));
    assert_true(bare_same_uuid(old, second));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->DeviceGetUuid_v2(NULL, 0));
    CODE(CUDA_ERROR_INVALID_DEVICE, driver->DeviceGetUuid_v2(&old, 4));
    bare_end();
    bare_begin("devices = 2\nseed = 5\nmode = manual");
    assert_true(bare_same_uuid(first, bare_uuid(0)));
    bare_end();
    bare_begin("seed = 6");
    assert_false(bare_same_uuid(first, bare_uuid(0)));
    bare_end();
}

static void a_device_is_found_by_its_address(void **state)
{
    static const char *const right[] = {"0000:0B:00.0", "0000:0b:00.0", "0b:00.0", "0000:0B:00",
                                        "b:0"};
    static const char *const wrong[] = {"garbage",       "",           "0b",    ":0b:00.0",
                                        "0000:0b:00.0x", "0:0b:0:0.0", "0b:00."};
    char text[16] = "";
    CUdevice device;

    (void)state;
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
    CODE(CUDA_ERROR_INVALID_VALUE, driver->DeviceGetByPCIBusId(&device, NULL));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->DeviceGetByPCIBusId(NULL, right[0]));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->DeviceGetPCIBusId(text, 12, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->DeviceGetPCIBusId(NULL, 13, 0));
    bare_end();
}

static void the_address_is_told_by_attributes_too(void **state)
{
    int bus = -5, device = -5, domain = -5;

    (void)state;
    bare_begin("devices = 11\nattribute.PCI_BUS_ID = 99\nattribute.PCI_DOMAIN_ID = 99\n");
    OK(driver->DeviceGetAttribute(&bus, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, 10));
    OK(driver->DeviceGetAttribute(&device, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID, 10));
    OK(driver->DeviceGetAttribute(&domain, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, 10));
    assert_int_equal(bus, 11);
    assert_int_equal(device, 0);
    assert_int_equal(domain, 0);
    bare_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BARE_TEST(a_name_is_cut_to_its_room),
        BARE_TEST(a_name_without_room_is_a_violation),
        BARE_TEST(uuids_are_of_the_seed_and_of_the_device),
        BARE_TEST(a_device_is_found_by_its_address),
        BARE_TEST(the_address_is_told_by_attributes_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
