/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "sweep.h"

#define DEVICE 0

static CUresult count(void)
{
    int devices = -1;
    const CUresult code = cushim_device_count(&devices);

    return sweep_output(code, devices == -1);
}

static CUresult get(void)
{
    CUdevice device = -1;
    const CUresult code = cushim_device_get(&device, 1);

    return sweep_output(code, device == -1);
}

static CUresult get_by_uuid(void)
{
    CUdevice device = -1;
    const CUresult code = cushim_device_get_by_uuid(&device, &fixture.uuid);

    return sweep_output(code, device == -1);
}

static CUresult get_by_pci_address(void)
{
    CUdevice device = -1;
    const CUresult code = cushim_device_get_by_pci_address(&device, fixture.pci_address);

    return sweep_output(code, device == -1);
}

static CUresult name(void)
{
    char text[64] = "";
    const CUresult code = cushim_device_name(DEVICE, text, sizeof text);

    return sweep_output(code, !text[0]);
}

static CUresult uuid(void)
{
    CUuuid its = {{0}};
    const CUuuid none = its;
    const CUresult code = cushim_device_uuid(DEVICE, &its);

    return sweep_output(code, memcmp(&its, &none, sizeof its) == 0);
}

static CUresult pci_address(void)
{
    char text[32] = "";
    const CUresult code = cushim_device_pci_address(DEVICE, text, sizeof text);

    return sweep_output(code, !text[0]);
}

static CUresult compute_capability(void)
{
    int major = -1, minor = -1;
    const CUresult code = cushim_device_compute_capability(DEVICE, &major, &minor);

    return sweep_outputs(code, major == -1, minor == -1);
}

static CUresult total_memory(void)
{
    size_t bytes = 0;
    const CUresult code = cushim_device_total_memory_bytes(DEVICE, &bytes);

    return sweep_output(code, bytes == 0);
}

static CUresult attribute(void)
{
    int value = -1;
    const CUresult code =
        cushim_device_attribute(DEVICE, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &value);

    return sweep_output(code, value == -1);
}

static CUresult stream_priority_range(void)
{
    int least = 99, greatest = 99;
    const CUresult code = cushim_device_stream_priority_range(DEVICE, &least, &greatest);

    return sweep_outputs(code, least == 99, greatest == 99);
}

/* A bool that is what it was may have been written: so both are tried. */
static CUresult supports(CUresult (*function)(CUdevice device, bool *supported))
{
    bool one = false, other = true;
    CUresult code = function(DEVICE, &one);

    if (code == CUDA_SUCCESS) {
        code = function(DEVICE, &other);
        return sweep_output(code, other && (code != CUDA_SUCCESS || !one));
    }
    return sweep_output(code, !one);
}

static CUresult supports_ipc_events(void)
{
    return supports(cushim_device_supports_ipc_events);
}

static CUresult supports_memory_operations(void)
{
    return supports(cushim_device_supports_stream_memory_operations);
}

static CUresult peer_of(CUdevice device, bool *can)
{
    return cushim_device_can_access_peer(device, 1, can);
}

static CUresult can_access_peer(void)
{
    return supports(peer_of);
}

static CUresult p2p_attribute(void)
{
    int value = -1;
    const CUresult code =
        cushim_device_p2p_attribute(DEVICE, 1, CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK, &value);

    return sweep_output(code, value == -1);
}

static CUresult uuid_format(void)
{
    char text[CUSHIM_UUID_TEXT_SIZE] = "";
    const CUresult code = cushim_uuid_format(&fixture.uuid, text);

    return sweep_output(code, !text[0]);
}

static CUresult uuid_parse(void)
{
    CUuuid parsed = {{0}};
    const CUresult code = cushim_uuid_parse(&parsed, "GPU-01234567-89ab-cdef-0123-456789abcdef");

    return sweep_output(code, !parsed.bytes[1]);
}

const struct sweep_row sweep_devices[] = {
    {.function = "cushim_device_count", .call = count, .calls = 1},
    {.function = "cushim_device_get", .call = get, .calls = 1},
    {.function = "cushim_device_get_by_uuid", .call = get_by_uuid, .calls = 5},
    {.function = "cushim_device_get_by_pci_address", .call = get_by_pci_address, .calls = 1},
    {.function = "cushim_device_name", .call = name, .calls = 1},
    {.function = "cushim_device_uuid", .call = uuid, .calls = 1},
    {.function = "cushim_device_pci_address", .call = pci_address, .calls = 1},
    {.function = "cushim_device_compute_capability", .call = compute_capability, .calls = 2},
    {.function = "cushim_device_total_memory_bytes", .call = total_memory, .calls = 1},
    {.function = "cushim_device_attribute", .call = attribute, .calls = 1},
    {.function = "cushim_device_stream_priority_range", .call = stream_priority_range, .calls = 5},
    {.function = "cushim_device_supports_ipc_events", .call = supports_ipc_events, .calls = 2},
    {.function = "cushim_device_supports_stream_memory_operations",
     .call = supports_memory_operations,
     .calls = 2},
    {.function = "cushim_device_can_access_peer", .call = can_access_peer, .calls = 2},
    {.function = "cushim_device_p2p_attribute", .call = p2p_attribute, .calls = 1},
    {.function = "cushim_uuid_format", .call = uuid_format},
    {.function = "cushim_uuid_parse", .call = uuid_parse},
    {.function = NULL},
};
