/* SPDX-License-Identifier: Apache-2.0 */
/* cushim's modules for devices and contexts on a driver. No UUID or address is printed. */
#include <string.h>

#include "cases.h"

static int count_devices(void)
{
    int count = 0;

    load_device();
    MUST(cu->DeviceGetCount(&count));
    return count;
}

/* The second device; without one, the case is skipped. */
static CUdevice second_device(void)
{
    CUdevice device = -1;

    if (count_devices() < 2)
        skip("one device");
    MUST(cu->DeviceGet(&device, 1));
    return device;
}

CUSHIM_CASE(device_is_found_by_uuid_and_pci_address)
{
    const CUuuid unknown = {"no such device!"};
    const int count = count_devices();
    CUdevice device = -5;

    for (int ordinal = 0; ordinal < count; ordinal++) {
        char text[CUSHIM_DEVICE_UUID_SIZE] = "", address[32] = "";
        CUdevice by_uuid = -5, by_address = -5;
        CUuuid uuid, again;

        OK(cu->DeviceGet(&device, ordinal));
        OK(cushim_device_get_uuid(device, &uuid));
        OK(cushim_device_get_by_uuid(&uuid, &by_uuid));
        EQUAL(device, by_uuid);
        OK(cushim_device_format_uuid(&uuid, text));
        CHECK(strlen(text) == 40 && strncmp(text, "GPU-", 4) == 0);
        for (int prefix = 0; prefix <= 4; prefix += 4) {
            memset(&again, 0, sizeof again);
            OK(cushim_device_parse_uuid(text + prefix, &again));
            CHECK(memcmp(&again, &uuid, sizeof uuid) == 0);
        }
        OK(cu->DeviceGetPCIBusId(address, sizeof address, device));
        EQUAL(12, strlen(address));
        OK(cu->DeviceGetByPCIBusId(&by_address, address));
        EQUAL(device, by_address);
    }
    device = -5;
    CODE(CUDA_ERROR_INVALID_DEVICE, cushim_device_get_by_uuid(&unknown, &device));
    CODE(CUDA_ERROR_INVALID_DEVICE, cu->DeviceGetByPCIBusId(&device, "ffff:ff:1f.0"));
    EQUAL(-5, device);
}

CUSHIM_CASE(device_describes_itself)
{
    const CUdevice device = load_device();
    int major = 0, minor = -1, processors = 0, value = -5, peer = -5;
    char name[128] = "";
    size_t bytes = 0;
    bool ipc = false;

    OK(cu->DeviceGetName(name, sizeof name, device));
    CHECK(name[0] != '\0');
    OK(cu->DeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    OK(cu->DeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
    CHECK(major > 0 && minor >= 0);
    OK(cu->DeviceTotalMem_v2(&bytes, device));
    CHECK(bytes > 0);
    OK(cu->DeviceGetAttribute(&processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device));
    CHECK(processors > 0);
    REFUSED(cu->DeviceGetAttribute(&value, (CUdevice_attribute)0, device));
    EQUAL(-5, value);
    OK(cu->DeviceCanAccessPeer(&peer, device, device));
    EQUAL(0, peer);
    OK(cushim_device_get_ipc_event_support(device, &ipc));
    detail("%s, compute capability %d.%d, %.1f GiB, %d multiprocessors, interprocess events: %s",
           name, major, minor, (double)bytes / (1 << 30), processors, ipc ? "yes" : "no");
}

/* Whether a primary context has references. */
static bool is_active(CUdevice device)
{
    unsigned flags = 0;
    int active = -5;

    OK(cu->DevicePrimaryCtxGetState(device, &flags, &active));
    return active != 0;
}

CUSHIM_CASE(device_priority_range_needs_no_context)
{
    const CUdevice device = load_device();
    int least = -99, greatest = -99;

    OK(cushim_device_get_stream_priority_range(device, &least, &greatest));
    CHECK(least == 0 && greatest <= least);
    CHECK(current_context() == NULL);
    CHECK(!is_active(device));
    detail("least %d, greatest %d", least, greatest);
}

CUSHIM_CASE(context_primary_is_counted_and_not_pushed)
{
    const CUdevice device = load_device();
    struct cushim_context *one = NULL, *other = NULL;

    CHECK(!is_active(device));
    OK(cushim_context_retain_primary(device, &one));
    OK(cushim_context_retain_primary(device, &other));
    CHECK(context_handle(one) == context_handle(other));
    CHECK(current_context() == NULL);
    OK(cushim_context_make_current(one));
    CHECK(cushim_context_retain(one) == one);
    OK(cushim_context_release(one));
    OK(cushim_context_release(one));
    CHECK(is_active(device));
    OK(cushim_context_release(other));
    CHECK(!is_active(device));
    CHECK(current_context() != NULL); /* released, but still on the stack */
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->DevicePrimaryCtxRelease_v2(device));
}

CUSHIM_CASE(context_primary_that_was_reset_is_released)
{
    const CUdevice device = load_device();
    struct cushim_context *context = retain_primary();

    OK(cu->DevicePrimaryCtxReset_v2(device));
    CODE(CUDA_ERROR_CONTEXT_IS_DESTROYED, cushim_context_synchronize(context));
    OK(cushim_context_release(context));
    OK(cushim_context_synchronize(retain_primary()));
}

CUSHIM_CASE(context_created_is_not_left_current)
{
    const struct cushim_context_options bad = {.size = sizeof bad, .flags = 3};
    struct cushim_context *primary = retain_primary(), *context = NULL;
    struct cushim_context_scope scope;
    const CUdevice device = load_device();

    CODE(CUDA_ERROR_INVALID_VALUE, cushim_context_create(device, &bad, &context));
    CHECK(context == NULL);
    OK(cushim_context_create(device, NULL, &context));
    CHECK(current_context() == NULL);
    CHECK(context_handle(context) != context_handle(primary));
    OK(cushim_context_release(context));
    OK(cushim_context_make_current(primary));
    OK(cushim_context_create(device, NULL, &context));
    CHECK(current_context() == context_handle(primary));
    OK(cushim_context_push(context, &scope));
    CHECK(current_context() == context_handle(context));
    OK(cushim_context_release(context)); /* removes it from the stack */
    CHECK(current_context() == context_handle(primary));
}

CUSHIM_CASE(context_destroyed_elsewhere_is_released)
{
    struct cushim_context *context = create_context();

    OK(cu->CtxDestroy_v2(context_handle(context)));
    OK(cushim_context_release(context));
}

CUSHIM_CASE(context_wrapped_is_not_destroyed)
{
    struct cushim_context *owner = create_context(), *wrapped = NULL;
    CUdevice device = -5;

    CODE(CUDA_ERROR_INVALID_CONTEXT, cushim_context_wrap(NULL, &wrapped));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cushim_context_wrap_current(&wrapped));
    CHECK(wrapped == NULL);
    OK(cushim_context_wrap(context_handle(owner), &wrapped));
    OK(cushim_context_get_device(wrapped, &device));
    EQUAL(load_device(), device);
    CHECK(current_context() == NULL);
    OK(cushim_context_release(wrapped));
    OK(cushim_context_make_current(owner));
    OK(cushim_context_wrap_current(&wrapped));
    CHECK(context_handle(wrapped) == context_handle(owner));
    OK(cushim_context_release(wrapped));
    OK(cushim_context_synchronize(owner));
}

CUSHIM_CASE(context_scopes_nest_and_restore)
{
    struct cushim_context *one = retain_primary(), *other = create_context();
    struct cushim_context_scope outer, inner, lost;

    OK(cushim_context_push(one, &outer));
    OK(cushim_context_push(other, &inner));
    CHECK(current_context() == context_handle(other));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cushim_context_pop(&outer));
    CHECK(current_context() == context_handle(other));
    OK(cushim_context_pop(&inner));
    OK(cushim_context_pop(&inner));
    CHECK(current_context() == context_handle(one));
    OK(cushim_context_pop(&outer));
    CHECK(current_context() == NULL);
    OK(cushim_context_push(one, &lost));
    OK(cushim_context_make_current(NULL));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cushim_context_pop(&lost));
    CHECK(current_context() == NULL);
}

CUSHIM_CASE(context_settings_are_those_of_a_scope)
{
    const struct cushim_context_options options = {.size = sizeof options,
                                                   .flags = CU_CTX_SCHED_BLOCKING_SYNC};
    struct cushim_context *primary = retain_primary(), *context = NULL;
    int least = 9, greatest = 9, device_least = 9, device_greatest = 9;
    unsigned long long id = 0, primary_id = 0;
    CUfunc_cache cache = CU_FUNC_CACHE_PREFER_EQUAL;
    struct cushim_context_scope scope;
    unsigned version = 0, flags = 0;
    CUdevice device = -5;

    OK(cushim_context_create(load_device(), &options, &context));
    OK(cushim_context_push(context, &scope));
    OK(cu->CtxGetFlags(&flags));
    EQUAL(CU_CTX_SCHED_BLOCKING_SYNC, flags & CU_CTX_SCHED_MASK);
    OK(cu->CtxSetFlags(CU_CTX_SCHED_YIELD));
    OK(cu->CtxGetFlags(&flags));
    EQUAL(CU_CTX_SCHED_YIELD, flags & CU_CTX_SCHED_MASK);
    OK(cu->CtxSetCacheConfig(CU_FUNC_CACHE_PREFER_L1));
    OK(cu->CtxGetCacheConfig(&cache));
    CHECK(cache == CU_FUNC_CACHE_PREFER_L1 || cache == CU_FUNC_CACHE_PREFER_NONE);
    OK(cu->CtxGetStreamPriorityRange(&least, &greatest));
    OK(cushim_context_pop(&scope));
    OK(cushim_device_get_stream_priority_range(load_device(), &device_least, &device_greatest));
    CHECK(least == device_least && greatest == device_greatest);
    OK(cushim_context_get_device(context, &device));
    EQUAL(load_device(), device);
    OK(cu->CtxGetApiVersion(context_handle(context), &version));
    CHECK(version > 0);
    OK(cu->CtxGetId(context_handle(context), &id));
    OK(cu->CtxGetId(context_handle(primary), &primary_id));
    CHECK(id != primary_id);
    CHECK(current_context() == NULL);
    detail("API version %u, cache preference %d", version, (int)cache);
}

TWO_DEVICES_CASE(cushim, context_access_to_a_peer_is_given_and_taken, CUSHIM)
{
    const CUdevice other = second_device(), device = load_device();
    struct cushim_context *context = retain_primary(), *peer = NULL;
    struct cushim_context_scope scope;
    int can = -5, attribute = -5;

    OK(cu->DeviceCanAccessPeer(&can, device, other));
    OK(cu->DeviceGetP2PAttribute(&attribute, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, device,
                                 other));
    EQUAL(can, attribute);
    if (!can)
        skip("the devices cannot access each other");
    OK(cushim_context_retain_primary(other, &peer));
    OK(cushim_context_push(context, &scope));
    OK(cu->CtxEnablePeerAccess(context_handle(peer), 0));
    CODE(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, cu->CtxEnablePeerAccess(context_handle(peer), 0));
    OK(cu->CtxDisablePeerAccess(context_handle(peer)));
    CODE(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, cu->CtxDisablePeerAccess(context_handle(peer)));
    OK(cushim_context_pop(&scope));
    CHECK(current_context() == NULL);
}

CUSHIM_CASE(context_is_waited_for_as_a_whole)
{
    struct cushim_context *context = create_context(), *other = create_context();
    struct cushim_stream *busy = create_stream(context), *waiter = create_stream(context);
    struct cushim_stream *elsewhere = create_stream(other);
    struct cushim_event *first = create_event(context), *second = create_event(context);
    struct cushim_event *all = create_event(context), *after = create_event(other);
    struct gate gate = GATE;
    struct opener opener;

    gate_shut(&gate, stream_handle(busy));
    OK(cushim_event_record(first, busy));
    OK(cushim_stream_wait_event(waiter, first));
    OK(cushim_event_record(second, waiter));
    OK(cu->CtxRecordEvent(context_handle(context), event_handle(all)));
    OK(cu->CtxWaitEvent(context_handle(other), event_handle(all)));
    OK(cushim_event_record(after, elsewhere));
    CODE(CUDA_ERROR_NOT_READY, cushim_event_query(second));
    CODE(CUDA_ERROR_NOT_READY, cushim_event_query(after));
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->CtxRecordEvent(context_handle(other), event_handle(all)));
    opener_start(&opener, &gate, 10);
    OK(cushim_context_synchronize(context));
    OK(cushim_event_query(first));
    OK(cushim_event_query(second));
    opener_join(&opener);
    OK(cushim_event_synchronize(after));
    OK(cushim_event_query(all));
    CHECK(current_context() == NULL);
}

/*
 * A stream and an event whose context was destroyed by a direct call of the driver. The driver may
 * crash on them (statement 17), so each case uses them in another process. The modules must return
 * the driver's code there; to release the objects must succeed.
 */
static struct cushim_stream *left_stream;
static struct cushim_event *left_event;

static void destroy_their_context(void)
{
    struct cushim_context *context = create_context();

    left_stream = create_stream(context);
    left_event = create_event(context);
    MUST(cushim_event_record(left_event, left_stream));
    MUST(cushim_stream_synchronize(left_stream));
    MUST(cu->CtxDestroy_v2(context_handle(context)));
}

PEER(cushim_query_event)
{
    destroy_their_context();
    CODE(CUDA_ERROR_CONTEXT_IS_DESTROYED, cushim_event_query(left_event));
}

PEER(cushim_query_stream)
{
    destroy_their_context();
    CODE(CUDA_ERROR_CONTEXT_IS_DESTROYED, cushim_stream_query(left_stream));
}

PEER(cushim_release_event)
{
    destroy_their_context();
    OK(cushim_event_release(left_event));
}

PEER(cushim_release_stream)
{
    destroy_their_context();
    OK(cushim_stream_release(left_stream));
}

CUSHIM_CASE(context_destroyed_has_children)
{
    static const char *const names[] = {"peer_cushim_query_event", "peer_cushim_query_stream",
                                        "peer_cushim_release_event", "peer_cushim_release_stream"};
    unsigned crashed = 0;

    for (size_t i = 0; i < COUNT(names); i++) {
        char output[2048];
        const struct process_end end = process_run(names[i], output, sizeof output);

        if (!CHECK(end.exited ? end.status == CASE_PASSED : end.crashed && !backend_is_mock()))
            detail("%s: %s %s", names[i], end.exited ? "" : end.death, output);
        crashed += end.crashed;
    }
    if (crashed > 0)
        detail("the driver crashed in %u", crashed);
}
