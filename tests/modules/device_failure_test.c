/* SPDX-License-Identifier: Apache-2.0 */
/* Devices: what all of their functions have in common when a call cannot be made or fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <cushim/device.h>
#include <cushim/uuid.h>

#include "fake.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define PEER_ACCESS CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED
#define CLOCK CU_DEVICE_ATTRIBUTE_CLOCK_RATE

/* What all of the functions write, so that one look tells whether any of it was written. */
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

static CUresult count(void)
{
    return cushim_device_count(&out.a);
}

static CUresult get(void)
{
    return cushim_device_get(&out.device, 1);
}

static CUresult get_by_uuid(void)
{
    return cushim_device_get_by_uuid(&out.device, &second);
}

static CUresult get_by_pci_address(void)
{
    return cushim_device_get_by_pci_address(&out.device, "0000:1c:00.0");
}

static CUresult name(void)
{
    return cushim_device_name(1, out.text, sizeof out.text);
}

static CUresult uuid(void)
{
    return cushim_device_uuid(1, &out.uuid);
}

static CUresult pci_address(void)
{
    return cushim_device_pci_address(1, out.text, sizeof out.text);
}

static CUresult compute_capability(void)
{
    return cushim_device_compute_capability(1, &out.a, &out.b);
}

static CUresult total_memory(void)
{
    return cushim_device_total_memory_bytes(1, &out.bytes);
}

static CUresult attribute(void)
{
    return cushim_device_attribute(1, CLOCK, &out.a);
}

static CUresult stream_priority_range(void)
{
    return cushim_device_stream_priority_range(1, &out.a, &out.b);
}

static CUresult supports_ipc_events(void)
{
    return cushim_device_supports_ipc_events(1, &out.yes);
}

static CUresult supports_stream_memory_operations(void)
{
    return cushim_device_supports_stream_memory_operations(1, &out.yes);
}

static CUresult can_access_peer(void)
{
    return cushim_device_can_access_peer(1, 0, &out.yes);
}

static CUresult p2p_attribute(void)
{
    return cushim_device_p2p_attribute(1, 0, PEER_ACCESS, &out.a);
}

static CUresult (*const functions[])(void) = {
    count,
    get,
    get_by_uuid,
    get_by_pci_address,
    name,
    uuid,
    pci_address,
    compute_capability,
    total_memory,
    attribute,
    stream_priority_range,
    supports_ipc_events,
    supports_stream_memory_operations,
    can_access_peer,
    p2p_attribute,
};

static void a_missing_output_is_refused_before_any_call(void **state)
{
    CUdevice device;
    int value;

    (void)state;
#define REFUSED(call) assert_int_equal(call, CUDA_ERROR_INVALID_VALUE)
    REFUSED(cushim_device_count(NULL));
    REFUSED(cushim_device_get(NULL, 0));
    REFUSED(cushim_device_get_by_uuid(NULL, &second));
    REFUSED(cushim_device_get_by_uuid(&device, NULL));
    REFUSED(cushim_device_get_by_pci_address(NULL, "0000:1c:00.0"));
    REFUSED(cushim_device_get_by_pci_address(&device, NULL));
    REFUSED(cushim_device_name(0, NULL, 9));
    REFUSED(cushim_device_uuid(0, NULL));
    REFUSED(cushim_device_pci_address(0, NULL, 32));
    REFUSED(cushim_device_compute_capability(0, NULL, &value));
    REFUSED(cushim_device_compute_capability(0, &value, NULL));
    REFUSED(cushim_device_total_memory_bytes(0, NULL));
    REFUSED(cushim_device_attribute(0, CLOCK, NULL));
    REFUSED(cushim_device_stream_priority_range(0, NULL, &value));
    REFUSED(cushim_device_stream_priority_range(0, &value, NULL));
    REFUSED(cushim_device_supports_ipc_events(0, NULL));
    REFUSED(cushim_device_supports_stream_memory_operations(0, NULL));
    REFUSED(cushim_device_can_access_peer(0, 1, NULL));
    REFUSED(cushim_device_p2p_attribute(0, 1, PEER_ACCESS, NULL));
#undef REFUSED
    assert_int_equal(fake_calls(NULL), 0);
}

static void a_number_that_is_no_device_is_the_drivers_to_refuse(void **state)
{
    (void)state;
    assert_int_equal(cushim_device_name(99, out.text, sizeof out.text), CUDA_ERROR_INVALID_DEVICE);
    assert_int_equal(cushim_device_uuid(-1, &out.uuid), CUDA_ERROR_INVALID_DEVICE);
    assert_int_equal(cushim_device_stream_priority_range(99, &out.a, &out.b),
                     CUDA_ERROR_INVALID_DEVICE);
    assert_int_equal(cushim_device_supports_ipc_events(99, &out.yes), CUDA_ERROR_INVALID_DEVICE);
}

/* Calls a function; if that fails nothing may have been written. */
static CUresult body(void *data)
{
    CUresult (*const *function)(void) = data;
    struct outputs before;
    CUresult code;

    memset(&out, 0x5a, sizeof out);
    before = out;
    code = (*function)();
    if (code)
        assert_memory_equal(&out, &before, sizeof out);
    else
        assert_memory_not_equal(&out, &before, sizeof out);
    return code;
}

static void each_failing_call_is_reported_unchanged_and_leaves_nothing(void **state)
{
    (void)state;
    fake_enter(fake_foreign_context(0));
    for (size_t i = 0; i < COUNT(functions); i++) {
        CUresult (*function)(void) = functions[i];

        assert_in_range(fake_sweep(body, &function, NULL), 1, 6);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, fake_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_missing_output_is_refused_before_any_call),
        TEST(a_number_that_is_no_device_is_the_drivers_to_refuse),
        TEST(each_failing_call_is_reported_unchanged_and_leaves_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
