/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep.h"

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
