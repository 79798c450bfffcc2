/* SPDX-License-Identifier: Apache-2.0 */
#include "swept.h"

static CUresult create(void)
{
    struct cushim_stream *stream = NULL;
    const CUresult code = cushim_stream_create(&stream, swept_world.context, NULL);

    return swept_first(swept_output(code, !stream), cushim_stream_release(stream));
}

static CUresult close(void)
{
    struct cushim_stream *stream = NULL;
    CUresult code = cushim_stream_create(&stream, swept_world.context, NULL);

    if (stream)
        code = cushim_stream_close(stream);
    return swept_first(code, cushim_stream_release(stream));
}

static CUresult wrap(void)
{
    struct cushim_stream *stream = NULL;
    const CUresult code =
        cushim_stream_wrap(&stream, swept_world.stream_handle, swept_world.context);

    return swept_first(swept_output(code, !stream), cushim_stream_release(stream));
}

static CUresult legacy(void)
{
    return cushim_stream_legacy() ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
}

static CUresult per_thread(void)
{
    return cushim_stream_per_thread() ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
}

static CUresult retain(void)
{
    return cushim_stream_release(cushim_stream_retain(swept_world.stream));
}

static CUresult handle(void)
{
    CUstream its = NULL;
    const CUresult code = cushim_stream_handle(swept_world.stream, &its);

    return swept_output(code, !its);
}

static CUresult context(void)
{
    return cushim_stream_context(swept_world.stream) == swept_world.context ? CUDA_SUCCESS
                                                                            : CUDA_ERROR_UNKNOWN;
}

static CUresult query(void)
{
    return cushim_stream_query(swept_world.stream);
}

static CUresult synchronize(void)
{
    return cushim_stream_synchronize(swept_world.stream);
}

static CUresult wait_for(void)
{
    return cushim_stream_wait_for(swept_world.stream, UINT64_MAX);
}

static CUresult flags(void)
{
    unsigned its = 0xdead;
    const CUresult code = cushim_stream_flags(swept_world.stream, &its);

    return swept_output(code, its == 0xdead);
}

static CUresult priority(void)
{
    int its = 99;
    const CUresult code = cushim_stream_priority(swept_world.stream, &its);

    return swept_output(code, its == 99);
}

static CUresult id(void)
{
    unsigned long long its = 0;
    const CUresult code = cushim_stream_id(swept_world.stream, &its);

    return swept_output(code, its == 0);
}

static CUresult device(void)
{
    struct cushim_stream *stream = NULL;
    CUdevice its = -1;
    CUresult code = cushim_stream_wrap(&stream, swept_world.stream_handle, NULL);

    if (code == CUDA_SUCCESS)
        code = cushim_stream_device(stream, &its);
    return swept_first(swept_output(code, its == -1), cushim_stream_release(stream));
}

static CUresult driver_context(void)
{
    CUcontext its = NULL;
    const CUresult code = cushim_stream_driver_context(swept_world.stream, &its);

    return swept_output(code, !its);
}

static CUresult attribute(void)
{
    CUstreamAttrValue value = {.syncPolicy = (CUsynchronizationPolicy)99};
    const CUresult code = cushim_stream_attribute(
        swept_world.stream, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value);

    return swept_output(code, value.syncPolicy == (CUsynchronizationPolicy)99);
}

static CUresult set_attribute(void)
{
    const CUstreamAttrValue value = {.syncPolicy = CU_SYNC_POLICY_YIELD};

    return cushim_stream_set_attribute(swept_world.stream,
                                       CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value);
}

static CUresult copy_attributes(void)
{
    return cushim_stream_copy_attributes(swept_world.stream, swept_world.other);
}

const struct swept swept_streams[] = {
    {.function = "cushim_stream_create", .call = create, .calls = 4},
    {.function = "cushim_stream_release", .call = create, .calls = 4},
    {.function = "cushim_stream_close", .call = close, .calls = 4},
    {.function = "cushim_stream_wrap", .call = wrap},
    {.function = "cushim_stream_legacy", .call = legacy},
    {.function = "cushim_stream_per_thread", .call = per_thread},
    {.function = "cushim_stream_retain", .call = retain},
    {.function = "cushim_stream_handle", .call = handle},
    {.function = "cushim_stream_context", .call = context},
    {.function = "cushim_stream_query", .call = query, .calls = 1},
    {.function = "cushim_stream_synchronize", .call = synchronize, .calls = 1},
    {.function = "cushim_stream_wait_for", .call = wait_for, .calls = 1},
    {.function = "cushim_stream_flags", .call = flags, .calls = 1},
    {.function = "cushim_stream_priority", .call = priority, .calls = 1},
    {.function = "cushim_stream_id", .call = id, .calls = 1},
    {.function = "cushim_stream_device", .call = device, .calls = 1},
    {.function = "cushim_stream_driver_context", .call = driver_context, .calls = 1},
    {.function = "cushim_stream_attribute", .call = attribute, .calls = 1},
    {.function = "cushim_stream_set_attribute", .call = set_attribute, .calls = 1},
    {.function = "cushim_stream_copy_attributes", .call = copy_attributes, .calls = 1},
    {.function = NULL},
};
