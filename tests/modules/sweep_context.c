/* SPDX-License-Identifier: Apache-2.0 */
/* Devices and contexts. */
#include <string.h>

#include "sweep.h"

#define DEVICE 0

static CUresult get_by_uuid(void)
{
    CUdevice device = -1;
    const CUresult code = cushim_device_get_by_uuid(&fixture.uuid, &device);

    return sweep_output(code, device == -1);
}

static CUresult uuid(void)
{
    CUuuid its = {{0}};
    const CUuuid none = its;
    const CUresult code = cushim_device_get_uuid(DEVICE, &its);

    return sweep_output(code, memcmp(&its, &none, sizeof its) == 0);
}

static CUresult device_stream_priority_range(void)
{
    int least = 99, greatest = 99;
    const CUresult code = cushim_device_get_stream_priority_range(DEVICE, &least, &greatest);

    return sweep_outputs(code, least == 99, greatest == 99);
}

/* Writing an equal bool cannot be detected, so this tries both values. */
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
    return supports(cushim_device_get_ipc_event_support);
}

static CUresult uuid_format(void)
{
    char text[CUSHIM_DEVICE_UUID_SIZE] = "";
    const CUresult code = cushim_device_format_uuid(&fixture.uuid, text);

    return sweep_output(code, !text[0]);
}

static CUresult uuid_parse(void)
{
    CUuuid parsed = {{0}};
    const CUresult code =
        cushim_device_parse_uuid("GPU-01234567-89ab-cdef-0123-456789abcdef", &parsed);

    return sweep_output(code, !parsed.bytes[1]);
}

const struct sweep_row sweep_devices[] = {
    {.function = "cushim_device_get_by_uuid", .call = get_by_uuid, .calls = 5},
    {.function = "cushim_device_get_uuid", .call = uuid, .calls = 1},
    {.function = "cushim_device_get_stream_priority_range",
     .call = device_stream_priority_range,
     .calls = 6},
    {.function = "cushim_device_get_ipc_event_support", .call = supports_ipc_events, .calls = 2},
    {.function = "cushim_device_format_uuid", .call = uuid_format},
    {.function = "cushim_device_parse_uuid", .call = uuid_parse},
    {.function = NULL},
};

static CUresult retain_primary(void)
{
    struct cushim_context *context = NULL;
    const CUresult code = cushim_context_retain_primary(1, &context);

    return sweep_first(sweep_output(code, !context), cushim_context_release(context));
}

static CUresult create(void)
{
    struct cushim_context *context = NULL;
    const CUresult code = cushim_context_create(1, NULL, &context);

    return sweep_first(sweep_output(code, !context), cushim_context_release(context));
}

static CUresult wrap(void)
{
    struct cushim_context *context = NULL;
    const CUresult code = cushim_context_wrap(fixture.context_handle, &context);

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
    const CUresult code = cushim_context_get_handle(fixture.context, &its);

    return sweep_output(code, !its);
}

static CUresult device(void)
{
    struct cushim_context *context = NULL;
    CUdevice its = -1;
    CUresult code = cushim_context_wrap(fixture.context_handle, &context);

    if (code == CUDA_SUCCESS)
        code = cushim_context_get_device(context, &its);
    return sweep_first(sweep_output(code, its == -1), cushim_context_release(context));
}

static CUresult synchronize(void)
{
    return cushim_context_synchronize(fixture.context);
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
    {.function = "cushim_context_get_handle", .call = handle},
    {.function = "cushim_context_get_device", .call = device, .calls = 3},
    {.function = "cushim_context_synchronize", .call = synchronize, .calls = 3},
    {.function = "cushim_context_make_current",
     .call = make_current,
     .calls = 2,
     .how = SWEEP_IN_CONTEXT},
    {.function = "cushim_context_push", .call = push, .calls = 2},
    {.function = "cushim_context_pop", .call = push, .calls = 2, .how = SWEEP_IN_CONTEXT},
    {.function = NULL},
};
