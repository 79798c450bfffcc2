/* SPDX-License-Identifier: Apache-2.0 */
/* Devices: found, found again, described. Nothing that identifies the machine is printed. */
#include <string.h>

#include "begin.h"
#include "cases.h"
#include "check.h"

static int device_count(void)
{
    int count = 0;

    OK(begin_driver());
    OK(cushim_device_count(&count));
    return count;
}

static void ordinals_begin_at_0_and_end(void)
{
    int count = device_count();
    CUdevice device = -5;

    for (int ordinal = 0; ordinal < count; ordinal++)
        OK(cushim_device_get(&device, ordinal));
    device = -5;
    CODE(CUDA_ERROR_INVALID_DEVICE, cushim_device_get(&device, -1));
    CODE(CUDA_ERROR_INVALID_DEVICE, cushim_device_get(&device, count));
    CODE(CUDA_ERROR_INVALID_DEVICE, cushim_device_get(&device, 99));
    CHECK(device == -5);
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_device_get(NULL, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_device_count(NULL));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_driver()->DeviceGet(NULL, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_driver()->DeviceGetCount(NULL));
    detail("%d", count);
}

static void every_device_is_found_by_its_uuid(void)
{
    int count = device_count();
    CUuuid unknown = {"no such device!"};
    CUdevice device = -5;

    for (int ordinal = 0; ordinal < count; ordinal++) {
        char text[CUSHIM_UUID_TEXT_SIZE];
        CUuuid uuid, again;
        CUdevice found = -5;

        OK(cushim_device_get(&device, ordinal));
        OK(cushim_device_uuid(device, &uuid));
        OK(cushim_device_get_by_uuid(&found, &uuid));
        CHECK(found == device);
        OK(cushim_uuid_format(&uuid, text));
        CHECK(strlen(text) == 40 && strncmp(text, "GPU-", 4) == 0);
        OK(cushim_uuid_parse(&again, text));
        CHECK(memcmp(&again, &uuid, sizeof uuid) == 0);
        OK(cushim_uuid_parse(&again, text + 4));
        CHECK(memcmp(&again, &uuid, sizeof uuid) == 0);
    }
    device = -5;
    CODE(CUDA_ERROR_INVALID_DEVICE, cushim_device_get_by_uuid(&device, &unknown));
    CHECK(device == -5);
}

static void every_device_is_found_by_its_pci_address(void)
{
    int count = device_count();
    CUdevice device = -5;

    for (int ordinal = 0; ordinal < count; ordinal++) {
        char address[CUSHIM_PCI_ADDRESS_SIZE] = "";
        CUdevice found = -5;

        OK(cushim_device_get(&device, ordinal));
        OK(cushim_device_pci_address(device, address, sizeof address));
        CHECK(strlen(address) == 12);
        OK(cushim_device_get_by_pci_address(&found, address));
        CHECK(found == device);
    }
    device = -5;
    CODE(CUDA_ERROR_INVALID_DEVICE, cushim_device_get_by_pci_address(&device, "ffff:ff:1f.0"));
    CHECK(device == -5);
    detail("12 characters");
}

static void device_describes_itself(void)
{
    CUdevice device = begin_device();
    int major = 0, minor = -1;
    char name[128] = "";
    size_t bytes = 0;

    OK(cushim_device_name(device, name, sizeof name));
    CHECK(strlen(name) > 0);
    OK(cushim_device_compute_capability(device, &major, &minor));
    CHECK(major > 0 && minor >= 0);
    OK(cushim_device_total_memory_bytes(device, &bytes));
    CHECK(bytes > 0);
    detail("%s, compute capability %d.%d, %.1f GiB", name, major, minor, (double)bytes / (1 << 30));
}

static void attributes_are_the_drivers(void)
{
    CUdevice device = begin_device();
    bool ipc = false, operations = false;
    int processors = 0, value = -5;

    OK(cushim_device_attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &processors));
    CHECK(processors > 0);
    detail("%d multiprocessors", processors);
    OK(cushim_device_supports_ipc_events(device, &ipc));
    OK(cushim_device_supports_stream_memory_operations(device, &operations));
    detail("interprocess events: %s, stream memory operations: %s", ipc ? "yes" : "no",
           operations ? "yes" : "no");
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_device_attribute(device, (CUdevice_attribute)0, &value));
    CHECK(value == -5);
}

static void priority_range_needs_no_context(void)
{
    CUdevice device = begin_device();
    int least = -99, greatest = -99;
    bool active = true;

    OK(cushim_device_stream_priority_range(device, &least, &greatest));
    CHECK(least == 0 && greatest <= least);
    CHECK(current_context() == NULL);
    OK(cushim_primary_context_state(device, NULL, &active));
    CHECK(!active);
    detail("least %d, greatest %d", least, greatest);
}

static void peers_are_asked_for(void)
{
    int count = device_count();
    CUdevice device = begin_device(), other;
    bool can = false;
    int value = -5;
    CUresult code;

    OK(cushim_device_can_access_peer(device, device, &can));
    code = cushim_device_p2p_attribute(device, device, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED,
                                       &value);
    CHECK(code == CUDA_SUCCESS || value == -5);
    detail("itself: %s, its attribute answers %d", can ? "yes" : "no", (int)code);
    if (count < 2) {
        detail("no second device");
        return;
    }
    OK(cushim_device_get(&other, 1));
    OK(cushim_device_can_access_peer(device, other, &can));
    OK(cushim_device_p2p_attribute(device, other, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED,
                                   &value));
    CHECK(can == (value != 0));
    detail("the second device: %s", can ? "yes" : "no");
}

const struct gpu_case device_cases[] = {
    {"device_8_ordinals_begin_at_0_and_end", ordinals_begin_at_0_and_end},
    {"device_is_found_by_its_uuid", every_device_is_found_by_its_uuid},
    {"device_is_found_by_its_pci_address", every_device_is_found_by_its_pci_address},
    {"device_describes_itself", device_describes_itself},
    {"device_attributes_are_the_drivers", attributes_are_the_drivers},
    {"device_50_priority_range_needs_no_context", priority_range_needs_no_context},
    {"device_peers_are_asked_for", peers_are_asked_for},
    {NULL, NULL},
};
