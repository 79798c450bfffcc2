/* SPDX-License-Identifier: Apache-2.0 */
#include "objects.h"

#include <stdio.h>

#include <cushim/cushim.h>
#include <cushim/mock.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct cushim_mock *mock;
static struct cushim_context *context, *primary, *wrapped;
static struct cushim_stream *stream, *other;
static struct cushim_event *event, *recorded, *interprocess, *foreign, *pooled;
static struct cushim_event_pool *pool, *empty;
static CUdeviceptr word;

/* One call, and what it answered. */
struct answer {
    const char *call;
    CUresult got, right;
};

static int count_wrong(const struct answer *answers, size_t count)
{
    int wrong = 0;

    for (size_t i = 0; i < count; i++) {
        if (answers[i].got != answers[i].right) {
            fprintf(stderr, "%s answers %d, not %d\n", answers[i].call, (int)answers[i].got,
                    (int)answers[i].right);
            wrong++;
        }
    }
    return wrong;
}

static bool make(void)
{
    const struct cushim_event_options between = {
        .size = sizeof between, .disable_timing = true, .interprocess = true};
    const struct cushim_event_pool_options two = {.size = sizeof two, .initial = 2};
    CUcontext handle;
    CUevent event_handle;

    return !cushim_context_create(&context, 0, NULL) &&
           !cushim_context_retain_primary(&primary, 0) &&
           !cushim_context_handle(context, &handle) && !cushim_context_wrap(&wrapped, handle) &&
           !cushim_stream_create(&stream, context, NULL) &&
           !cushim_stream_create(&other, context, NULL) &&
           !cushim_event_create(&event, context, NULL) &&
           !cushim_event_create_recorded(&recorded, stream, NULL) &&
           !cushim_event_create(&interprocess, context, &between) &&
           !cushim_event_handle(event, &event_handle) &&
           !cushim_event_wrap(&foreign, event_handle, context, NULL) &&
           !cushim_event_pool_create(&pool, context, NULL, &two) &&
           !cushim_event_pool_acquire(pool, &pooled) &&
           !cushim_event_pool_create(&empty, context, NULL, NULL) &&
           !cushim_context_make_current(context) && !cushim_driver()->MemAlloc_v2(&word, 8) &&
           !cushim_context_make_current(NULL);
}

int objects_begin(void)
{
    const struct cushim_mock_options options = {.size = sizeof options};
    struct cushim_load_options load = {.size = sizeof load, .resolver = cushim_mock_symbol};

    if (cushim_mock_create(&options, &mock))
        return 0;
    load.resolver_data = mock;
    return !cushim_init(&load) && make();
}

int objects_count_dead(void)
{
    const struct answer submitted = {"event_record", cushim_event_record(event, other),
                                     CUDA_SUCCESS};
    const struct answer waited = {"context_synchronize", cushim_context_synchronize(context),
                                  CUDA_SUCCESS};
    const struct answer answers[] = {
        {"event_query", cushim_event_query(recorded), CUDA_SUCCESS},
        {"event_query of a pool's", cushim_event_query(pooled), CUDA_SUCCESS},
        {"stream_query", cushim_stream_query(stream), CUDA_SUCCESS},
        {"event_synchronize", cushim_event_synchronize(event), CUDA_SUCCESS},
    };

    return count_wrong(&submitted, 1) + count_wrong(&waited, 1) +
           count_wrong(answers, COUNT(answers));
}

static void CUDA_CB nothing(void *data)
{
    (void)data;
}

static void CUDA_CB nothing_either(CUstream handle, CUresult code, void *data)
{
    (void)handle, (void)code, (void)data;
}

static const CUresult three = CUDA_ERROR_NOT_INITIALIZED;

static int call_events(int *calls)
{
    struct cushim_event *made = NULL;
    struct cushim_event_pool *made_pool = NULL;
    const struct cushim_event_pool_options one = {.size = sizeof one, .initial = 1};
    CUipcEventHandle handle = {{0}};
    CUevent raw;
    unsigned flags;
    float ms;
    const struct answer answers[] = {
        {"event_create", cushim_event_create(&made, context, NULL), three},
        {"event_create_recorded", cushim_event_create_recorded(&made, stream, NULL), three},
        {"event_record", cushim_event_record(event, stream), three},
        {"event_record again", cushim_event_record(recorded, stream), three},
        {"event_record by default", cushim_event_record(event, cushim_stream_legacy()), three},
        {"event_record_with_flags", cushim_event_record_with_flags(event, stream, 0), three},
        {"event_query", cushim_event_query(event), three},
        {"event_query of a recorded one", cushim_event_query(recorded), three},
        {"event_query of a wrapped one", cushim_event_query(foreign), three},
        {"event_query of a pool's", cushim_event_query(pooled), three},
        {"event_synchronize", cushim_event_synchronize(recorded), three},
        {"event_wait_for", cushim_event_wait_for(recorded, UINT64_MAX), three},
        {"event_elapsed", cushim_event_elapsed(recorded, recorded, &ms), three},
        {"event_export", cushim_event_export(interprocess, &handle), three},
        {"event_import", cushim_event_import(&made, context, &handle), three},
        {"event_pool_create", cushim_event_pool_create(&made_pool, context, NULL, &one), three},
        {"event_pool_acquire of none", cushim_event_pool_acquire(empty, &made), three},
        /* What the object knows by itself. */
        {"event_handle", cushim_event_handle(event, &raw), CUDA_SUCCESS},
        {"event_flags", cushim_event_flags(event, &flags), CUDA_SUCCESS},
        {"event_pool_counts", cushim_event_pool_counts(pool, NULL, NULL), CUDA_SUCCESS},
    };

    *calls += (int)COUNT(answers);
    return count_wrong(answers, COUNT(answers)) + (made || made_pool);
}

/* A pool hands out what it has, without the driver; but nothing can be done with it. */
static int call_pool(int *calls)
{
    struct cushim_event *kept = NULL;
    const CUresult acquired = cushim_event_pool_acquire(pool, &kept);
    const struct answer answers[] = {
        {"event_pool_acquire", acquired, CUDA_SUCCESS},
        {"event_record of it", cushim_event_record(kept, stream), three},
        {"event_query of it", cushim_event_query(kept), three},
        {"event_release of it", cushim_event_release(kept), CUDA_SUCCESS},
    };

    *calls += (int)COUNT(answers);
    return count_wrong(answers, COUNT(answers));
}

static int call_streams(int *calls)
{
    struct cushim_stream *made = NULL;
    CUstreamAttrValue value = {{0}};
    CUstreamCaptureStatus status;
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    CUcontext its;
    CUdevice device;
    CUgraph graph;
    CUstream raw;
    cuuint64_t capture;
    unsigned long long id;
    unsigned flags;
    int priority;
    const CUstreamAttrID policy = CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY;
    const struct answer answers[] = {
        {"stream_create", cushim_stream_create(&made, context, NULL), three},
        {"stream_query", cushim_stream_query(stream), three},
        {"stream_query of the default", cushim_stream_query(cushim_stream_legacy()), three},
        {"stream_synchronize", cushim_stream_synchronize(stream), three},
        {"stream_wait_for", cushim_stream_wait_for(stream, UINT64_MAX), three},
        {"stream_flags", cushim_stream_flags(stream, &flags), three},
        {"stream_priority", cushim_stream_priority(stream, &priority), three},
        {"stream_id", cushim_stream_id(stream, &id), three},
        {"stream_driver_context", cushim_stream_driver_context(stream, &its), three},
        {"stream_attribute", cushim_stream_attribute(stream, policy, &value), three},
        {"stream_set_attribute", cushim_stream_set_attribute(stream, policy, &value), three},
        {"stream_copy_attributes", cushim_stream_copy_attributes(stream, other), three},
        {"stream_begin_capture", cushim_stream_begin_capture(stream, mode), three},
        {"stream_end_capture", cushim_stream_end_capture(stream, &graph), three},
        {"stream_capture_status", cushim_stream_capture_status(stream, &status, &capture), three},
        {"stream_exchange_capture_mode", cushim_stream_exchange_capture_mode(&mode), three},
        {"stream_wait_value32", cushim_stream_wait_value32(stream, word, 0, 0), three},
        {"stream_wait_value64", cushim_stream_wait_value64(stream, word, 0, 0), three},
        {"stream_write_value32", cushim_stream_write_value32(stream, word, 0, 0), three},
        {"stream_write_value64", cushim_stream_write_value64(stream, word, 0, 0), three},
        {"stream_wait_event", cushim_stream_wait_event(stream, recorded, 0), three},
        {"stream_wait_stream", cushim_stream_wait_stream(stream, other), three},
        {"stream_record", cushim_stream_record(stream, event), three},
        {"stream_launch_host_function", cushim_stream_launch_host_function(stream, nothing, NULL),
         three},
        {"stream_add_callback", cushim_stream_add_callback(stream, nothing_either, NULL), three},
        {"stream_device", cushim_stream_device(stream, &device), CUDA_SUCCESS},
        {"stream_handle", cushim_stream_handle(stream, &raw), CUDA_SUCCESS},
    };

    *calls += (int)COUNT(answers);
    return count_wrong(answers, COUNT(answers)) + (made != NULL);
}

static int call_contexts(int *calls)
{
    struct cushim_context *made = NULL;
    struct cushim_context_scope scope;
    CUfunc_cache config;
    CUcontext raw;
    CUdevice device;
    unsigned long long id;
    unsigned number;
    size_t value;
    bool active;
    int least, greatest;
    const struct answer answers[] = {
        {"context_retain_primary", cushim_context_retain_primary(&made, 0), three},
        {"context_create", cushim_context_create(&made, 0, NULL), three},
        {"context_wrap_current", cushim_context_wrap_current(&made), three},
        {"context_id", cushim_context_id(context, &id), three},
        {"context_device of a wrapped one", cushim_context_device(wrapped, &device), three},
        {"context_synchronize", cushim_context_synchronize(context), three},
        {"context_record_event", cushim_context_record_event(context, event), three},
        {"context_wait_event", cushim_context_wait_event(context, event), three},
        {"context_enable_peer_access", cushim_context_enable_peer_access(context, primary), three},
        {"context_disable_peer_access", cushim_context_disable_peer_access(context, primary),
         three},
        {"context_make_current", cushim_context_make_current(context), three},
        {"context_make_current of none", cushim_context_make_current(NULL), three},
        {"context_push", cushim_context_push(context, &scope), three},
        {"context_pop of nothing", cushim_context_pop(&scope), CUDA_SUCCESS},
        {"context_api_version", cushim_context_api_version(context, &number), three},
        {"context_flags", cushim_context_flags(context, &number), three},
        {"context_set_flags", cushim_context_set_flags(context, 0), three},
        {"context_limit", cushim_context_limit(context, CU_LIMIT_STACK_SIZE, &value), three},
        {"context_set_limit", cushim_context_set_limit(context, CU_LIMIT_STACK_SIZE, 1024), three},
        {"context_cache_config", cushim_context_cache_config(context, &config), three},
        {"context_set_cache_config",
         cushim_context_set_cache_config(context, CU_FUNC_CACHE_PREFER_L1), three},
        {"context_stream_priority_range",
         cushim_context_stream_priority_range(context, &least, &greatest), three},
        {"primary_context_state", cushim_primary_context_state(0, &number, &active), three},
        {"primary_context_set_flags", cushim_primary_context_set_flags(0, 0), three},
        {"primary_context_reset", cushim_primary_context_reset(0), three},
        {"context_device", cushim_context_device(context, &device), CUDA_SUCCESS},
        {"context_handle", cushim_context_handle(context, &raw), CUDA_SUCCESS},
    };

    *calls += (int)COUNT(answers);
    return count_wrong(answers, COUNT(answers)) + (made != NULL);
}

static int call_devices(int *calls)
{
    const CUuuid uuid = {{0}};
    CUuuid its;
    CUdevice device;
    char text[64];
    size_t bytes;
    int one, two;
    const struct answer answers[] = {
        {"device_count", cushim_device_count(&one), three},
        {"device_get", cushim_device_get(&device, 0), three},
        {"device_get_by_uuid", cushim_device_get_by_uuid(&device, &uuid), three},
        {"device_get_by_pci_address", cushim_device_get_by_pci_address(&device, "0000:01:00.0"),
         three},
        {"device_name", cushim_device_name(0, text, sizeof text), three},
        {"device_uuid", cushim_device_uuid(0, &its), three},
        {"device_pci_address", cushim_device_pci_address(0, text, sizeof text), three},
        {"device_compute_capability", cushim_device_compute_capability(0, &one, &two), three},
        {"device_total_memory_bytes", cushim_device_total_memory_bytes(0, &bytes), three},
        {"device_attribute",
         cushim_device_attribute(0, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &one), three},
        {"device_stream_priority_range", cushim_device_stream_priority_range(0, &one, &two), three},
        {"load", cushim_load(NULL), three},
        {"init", cushim_init(NULL), three},
    };

    *calls += (int)COUNT(answers);
    return count_wrong(answers, COUNT(answers));
}

int objects_call_in_child(int *calls)
{
    *calls = 0;
    return call_events(calls) + call_pool(calls) + call_streams(calls) + call_contexts(calls) +
           call_devices(calls);
}

int objects_release(void)
{
    const struct answer answers[] = {
        {"event_close", cushim_event_close(event), CUDA_SUCCESS},
        {"event_release", cushim_event_release(event), CUDA_SUCCESS},
        {"event_release", cushim_event_release(recorded), CUDA_SUCCESS},
        {"event_release", cushim_event_release(interprocess), CUDA_SUCCESS},
        {"event_release", cushim_event_release(foreign), CUDA_SUCCESS},
        {"event_pool_release", cushim_event_pool_release(pool), CUDA_SUCCESS},
        {"event_release of a pool's", cushim_event_release(pooled), CUDA_SUCCESS},
        {"event_pool_release", cushim_event_pool_release(empty), CUDA_SUCCESS},
        {"stream_close", cushim_stream_close(stream), CUDA_SUCCESS},
        {"stream_release", cushim_stream_release(stream), CUDA_SUCCESS},
        {"stream_release", cushim_stream_release(other), CUDA_SUCCESS},
        {"context_release", cushim_context_release(wrapped), CUDA_SUCCESS},
        {"context_release", cushim_context_release(primary), CUDA_SUCCESS},
        {"context_release", cushim_context_release(context), CUDA_SUCCESS},
    };

    return count_wrong(answers, COUNT(answers)) ? -1 : (int)COUNT(answers);
}
