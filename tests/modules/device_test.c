/* SPDX-License-Identifier: Apache-2.0 */
/* Devices: what the functions answer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <cushim/device.h>
#include <cushim/uuid.h>

#include "fake.h"
#include "loader/system.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define PEER_ACCESS CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED
#define CLOCK CU_DEVICE_ATTRIBUTE_CLOCK_RATE

/* Attributes that have no name in every toolkit header. */
enum { STREAM_MEM_OPS = 122, IPC_EVENTS = 125, DOES_NOT_KNOW = -1 };

/* What the functions write. */
static struct outputs {
    CUdevice device;
    int a, b;
    bool yes;
    size_t bytes;
    CUuuid uuid;
    char text[64];
} out;

static CUuuid second;

static int setup(void **state)
{
    int code = fake_setup(state);

    assert_int_equal(cushim_device_uuid(1, &second), CUDA_SUCCESS);
    fake_forget();
    memset(&out, 0x5a, sizeof out);
    return code;
}

static void devices_are_counted_and_found_by_number(void **state)
{
    (void)state;
    assert_int_equal(cushim_device_count(&out.a), CUDA_SUCCESS);
    assert_int_equal(out.a, FAKE_DEVICES);
    assert_int_equal(cushim_device_get(&out.device, 1), CUDA_SUCCESS);
    assert_int_equal(out.device, 1);
    assert_int_equal(cushim_device_get(&out.device, 99), CUDA_ERROR_INVALID_DEVICE);
    assert_int_equal(out.device, 1);
    assert_string_equal(fake_order(), "cuDeviceGetCount cuDeviceGet cuDeviceGet");
}

static void a_device_is_found_by_uuid(void **state)
{
    (void)state;
    assert_int_equal(cushim_device_get_by_uuid(&out.device, &second), CUDA_SUCCESS);
    assert_int_equal(out.device, 1);
    assert_int_equal(fake_calls("cuDeviceGetUuid_v2"), 2);
}

static void a_uuid_that_no_device_has_is_no_device(void **state)
{
    const CUuuid none = {{0}};

    (void)state;
    out.device = 7;
    assert_int_equal(cushim_device_get_by_uuid(&out.device, &none), CUDA_ERROR_INVALID_DEVICE);
    fake_device_count(0);
    assert_int_equal(cushim_device_get_by_uuid(&out.device, &second), CUDA_ERROR_INVALID_DEVICE);
    assert_int_equal(out.device, 7);
}

static void a_driver_without_the_newer_uuid_is_asked_for_the_older_one(void **state)
{
    (void)state;
    fake_lack("cuDeviceGetUuid_v2");
    assert_int_equal(cushim_device_uuid(1, &out.uuid), CUDA_SUCCESS);
    assert_memory_equal(&out.uuid, &second, sizeof second);
    assert_string_equal(fake_order(), "cuDeviceGetUuid");
}

static void a_device_is_found_by_its_own_pci_address(void **state)
{
    (void)state;
    assert_int_equal(cushim_device_pci_address(1, out.text, sizeof out.text), CUDA_SUCCESS);
    assert_string_equal(out.text, "0000:1C:00.0");
    assert_int_equal(cushim_device_get_by_pci_address(&out.device, out.text), CUDA_SUCCESS);
    assert_int_equal(out.device, 1);
    assert_int_equal(cushim_device_get_by_pci_address(&out.device, "0000:00:00.0"),
                     CUDA_ERROR_INVALID_DEVICE);
    assert_int_equal(out.device, 1);
}

static void a_pci_address_is_never_cut(void **state)
{
    (void)state;
    assert_int_equal(cushim_device_pci_address(1, out.text, 12), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(out.text[0], 0x5a);
    assert_int_equal(cushim_device_pci_address(1, out.text, 13), CUDA_SUCCESS);
    assert_int_equal(out.text[13], 0x5a);
}

static void a_name_is_cut_to_its_room(void **state)
{
    (void)state;
    assert_int_equal(cushim_device_name(1, out.text, sizeof out.text), CUDA_SUCCESS);
    assert_string_equal(out.text, "Fake GPU 1");
    assert_int_equal(cushim_device_name(1, out.text, 5), CUDA_SUCCESS);
    assert_string_equal(out.text, "Fake");
    assert_int_equal(cushim_device_name(1, out.text, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(fake_calls(NULL), 2);
}

static void numbers_are_the_drivers(void **state)
{
    (void)state;
    fake_device_attribute(1, CLOCK, 1980000);
    assert_int_equal(cushim_device_attribute(1, CLOCK, &out.a), CUDA_SUCCESS);
    assert_int_equal(out.a, 1980000);
    assert_int_equal(cushim_device_compute_capability(1, &out.a, &out.b), CUDA_SUCCESS);
    assert_int_equal(out.a, 9);
    assert_int_equal(out.b, 0);
    assert_int_equal(cushim_device_total_memory_bytes(1, &out.bytes), CUDA_SUCCESS);
    assert_true(out.bytes == (size_t)3 << 30);
    assert_int_equal(cushim_device_p2p_attribute(1, 0, PEER_ACCESS, &out.a), CUDA_SUCCESS);
    assert_int_equal(out.a, 1);
}

static void peers_are_other_devices(void **state)
{
    (void)state;
    assert_int_equal(cushim_device_can_access_peer(1, 0, &out.yes), CUDA_SUCCESS);
    assert_true(out.yes);
    assert_int_equal(cushim_device_can_access_peer(1, 1, &out.yes), CUDA_SUCCESS);
    assert_false(out.yes);
    assert_int_equal(cushim_device_p2p_attribute(1, 1, PEER_ACCESS, &out.a),
                     CUDA_ERROR_INVALID_DEVICE);
}

static void priorities_are_asked_in_the_primary_context(void **state)
{
    (void)state;
    fake_enter(fake_foreign_context(0));
    assert_int_equal(cushim_device_stream_priority_range(1, &out.a, &out.b), CUDA_SUCCESS);
    assert_int_equal(out.a, 0);
    assert_int_equal(out.b, -5);
    assert_string_equal(fake_order(),
                        "cuDevicePrimaryCtxRetain cuCtxPushCurrent_v2 cuCtxGetStreamPriorityRange "
                        "cuCtxPopCurrent_v2 cuDevicePrimaryCtxRelease_v2");
}

static void ipc_events_are_the_drivers_to_tell(void **state)
{
    (void)state;
    assert_int_equal(cushim_device_supports_ipc_events(1, &out.yes), CUDA_SUCCESS);
    assert_true(out.yes);
    fake_device_attribute(1, IPC_EVENTS, 0);
    assert_int_equal(cushim_device_supports_ipc_events(1, &out.yes), CUDA_SUCCESS);
    assert_false(out.yes);
    assert_int_equal(fake_calls(NULL), 2);
}

static void a_driver_that_cannot_tell_shares_events_of_discrete_devices(void **state)
{
    static const struct {
        int unified, integrated;
        bool yes;
    } cases[] = {{1, 0, true}, {0, 0, false}, {1, 1, false}, {0, 1, false}};

    (void)state;
    fake_device_attribute(1, IPC_EVENTS, DOES_NOT_KNOW);
    for (size_t i = 0; i < COUNT(cases); i++) {
        fake_device_attribute(1, CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, cases[i].unified);
        fake_device_attribute(1, CU_DEVICE_ATTRIBUTE_INTEGRATED, cases[i].integrated);
        assert_int_equal(cushim_device_supports_ipc_events(1, &out.yes), CUDA_SUCCESS);
        assert_int_equal(out.yes, cases[i].yes && !cushim__system_is_windows);
    }
}

static void memory_operations_are_the_drivers_to_tell(void **state)
{
    static const int answers[] = {1, 0, DOES_NOT_KNOW};

    (void)state;
    for (size_t i = 0; i < COUNT(answers); i++) {
        fake_device_attribute(1, STREAM_MEM_OPS, answers[i]);
        assert_int_equal(cushim_device_supports_stream_memory_operations(1, &out.yes),
                         CUDA_SUCCESS);
        assert_int_equal(out.yes, answers[i] == 1);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, fake_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(devices_are_counted_and_found_by_number),
        TEST(a_device_is_found_by_uuid),
        TEST(a_uuid_that_no_device_has_is_no_device),
        TEST(a_driver_without_the_newer_uuid_is_asked_for_the_older_one),
        TEST(a_device_is_found_by_its_own_pci_address),
        TEST(a_pci_address_is_never_cut),
        TEST(a_name_is_cut_to_its_room),
        TEST(numbers_are_the_drivers),
        TEST(peers_are_other_devices),
        TEST(priorities_are_asked_in_the_primary_context),
        TEST(ipc_events_are_the_drivers_to_tell),
        TEST(a_driver_that_cannot_tell_shares_events_of_discrete_devices),
        TEST(memory_operations_are_the_drivers_to_tell),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
