/* SPDX-License-Identifier: Apache-2.0 */
/* Devices and contexts. */
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

static CUresult device_stream_priority_range(void)
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
    {.function = "cushim_device_stream_priority_range",
     .call = device_stream_priority_range,
     .calls = 5},
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

static CUresult retain_primary(void)
{
    struct cushim_context *context = NULL;
    const CUresult code = cushim_context_retain_primary(&context, 1);

    return sweep_first(sweep_output(code, !context), cushim_context_release(context));
}

static CUresult create(void)
{
    struct cushim_context *context = NULL;
    const CUresult code = cushim_context_create(&context, 1, NULL);

    return sweep_first(sweep_output(code, !context), cushim_context_release(context));
}

static CUresult wrap(void)
{
    struct cushim_context *context = NULL;
    const CUresult code = cushim_context_wrap(&context, fixture.context_handle);

    return sweep_first(sweep_output(code, !context), cushim_context_release(context));
}

static CUresult wrap_current(void)
{
    struct cushim_context *context = NULL;
    const CUresult code = cushim_context_wrap_current(&context);

    return sweep_first(sweep_output(code, !context), cushim_context_release(context));
}

static CUresult retain(void)
{
    return cushim_context_release(cushim_context_retain(fixture.context));
}

static CUresult handle(void)
{
    CUcontext its = NULL;
    const CUresult code = cushim_context_handle(fixture.context, &its);

    return sweep_output(code, !its);
}

static CUresult device(void)
{
    struct cushim_context *context = NULL;
    CUdevice its = -1;
    CUresult code = cushim_context_wrap(&context, fixture.context_handle);

    if (code == CUDA_SUCCESS)
        code = cushim_context_device(context, &its);
    return sweep_first(sweep_output(code, its == -1), cushim_context_release(context));
}

static CUresult id(void)
{
    unsigned long long its = 0;
    const CUresult code = cushim_context_id(fixture.context, &its);

    return sweep_output(code, its == 0);
}

static CUresult synchronize(void)
{
    return cushim_context_synchronize(fixture.context);
}

static CUresult record_event(void)
{
    return cushim_context_record_event(fixture.context, fixture.event);
}

static CUresult wait_event(void)
{
    return cushim_context_wait_event(fixture.context, fixture.event);
}

static CUresult enable_peer_access(void)
{
    return cushim_context_enable_peer_access(fixture.context, fixture.peer);
}

static CUresult disable_peer_access(void)
{
    const CUresult code = enable_peer_access();

    return code ? code : cushim_context_disable_peer_access(fixture.context, fixture.peer);
}

static CUresult make_current(void)
{
    const CUresult code = cushim_context_make_current(fixture.peer);

    return sweep_first(code, cushim_context_make_current(fixture.context));
}

static CUresult push(void)
{
    struct cushim_context_scope scope = {NULL};
    const CUresult code = cushim_context_push(fixture.context, &scope);

    sweep_output(code, !scope.pushed);
    return sweep_first(code, cushim_context_pop(&scope));
}

static CUresult api_version(void)
{
    unsigned version = 0;
    const CUresult code = cushim_context_api_version(fixture.context, &version);

    return sweep_output(code, version == 0);
}

static CUresult flags(void)
{
    unsigned its = 0xdead;
    const CUresult code = cushim_context_flags(fixture.context, &its);

    return sweep_output(code, its == 0xdead);
}

static CUresult set_flags(void)
{
    return cushim_context_set_flags(fixture.context, CU_CTX_SCHED_BLOCKING_SYNC);
}

static CUresult limit(void)
{
    size_t value = 0;
    const CUresult code = cushim_context_limit(fixture.context, CU_LIMIT_STACK_SIZE, &value);

    return sweep_output(code, value == 0);
}

static CUresult set_limit(void)
{
    return cushim_context_set_limit(fixture.context, CU_LIMIT_STACK_SIZE, 2048);
}

static CUresult cache_config(void)
{
    CUfunc_cache config = (CUfunc_cache)99;
    const CUresult code = cushim_context_cache_config(fixture.context, &config);

    return sweep_output(code, config == (CUfunc_cache)99);
}

static CUresult set_cache_config(void)
{
    return cushim_context_set_cache_config(fixture.context, CU_FUNC_CACHE_PREFER_L1);
}

static CUresult stream_priority_range(void)
{
    int least = 99, greatest = 99;
    const CUresult code = cushim_context_stream_priority_range(fixture.context, &least, &greatest);

    return sweep_outputs(code, least == 99, greatest == 99);
}

static CUresult primary_state(void)
{
    unsigned its = 0xdead;
    bool is_active = false;
    const CUresult code = cushim_primary_context_state(0, &its, &is_active);

    return sweep_outputs(code, its == 0xdead, !is_active);
}

static CUresult primary_set_flags(void)
{
    return cushim_primary_context_set_flags(0, CU_CTX_SCHED_YIELD);
}

static CUresult primary_reset(void)
{
    return cushim_primary_context_reset(1);
}

const struct sweep_row sweep_contexts[] = {
    {.function = "cushim_context_retain_primary", .call = retain_primary, .calls = 2},
    {.function = "cushim_context_create", .call = create, .calls = 3},
    {.function = "cushim_context_wrap", .call = wrap},
    {.function = "cushim_context_wrap_current",
     .call = wrap_current,
     .calls = 1,
     .how = SWEEP_IN_CONTEXT},
    {.function = "cushim_context_retain", .call = retain},
    {.function = "cushim_context_release", .call = retain_primary, .calls = 2},
    {.function = "cushim_context_handle", .call = handle},
    {.function = "cushim_context_device", .call = device, .calls = 3},
    {.function = "cushim_context_id", .call = id, .calls = 1},
    {.function = "cushim_context_synchronize", .call = synchronize, .calls = 3},
    {.function = "cushim_context_record_event", .call = record_event, .calls = 1},
    {.function = "cushim_context_wait_event", .call = wait_event, .calls = 1},
    {.function = "cushim_context_enable_peer_access", .call = enable_peer_access, .calls = 3},
    {.function = "cushim_context_disable_peer_access", .call = disable_peer_access, .calls = 6},
    {.function = "cushim_context_make_current",
     .call = make_current,
     .calls = 2,
     .how = SWEEP_IN_CONTEXT},
    {.function = "cushim_context_push", .call = push, .calls = 2},
    {.function = "cushim_context_pop", .call = push, .calls = 2, .how = SWEEP_IN_CONTEXT},
    {.function = "cushim_context_api_version", .call = api_version, .calls = 1},
    {.function = "cushim_context_flags", .call = flags, .calls = 3},
    {.function = "cushim_context_set_flags", .call = set_flags, .calls = 3},
    {.function = "cushim_context_limit", .call = limit, .calls = 3},
    {.function = "cushim_context_set_limit", .call = set_limit, .calls = 3},
    {.function = "cushim_context_cache_config", .call = cache_config, .calls = 3},
    {.function = "cushim_context_set_cache_config", .call = set_cache_config, .calls = 3},
    {.function = "cushim_context_stream_priority_range", .call = stream_priority_range, .calls = 3},
    {.function = "cushim_primary_context_state", .call = primary_state, .calls = 1},
    {.function = "cushim_primary_context_set_flags", .call = primary_set_flags, .calls = 1},
    {.function = "cushim_primary_context_reset", .call = primary_reset, .calls = 1},
    {.function = NULL},
};
