/* SPDX-License-Identifier: Apache-2.0 */
#include "swept.h"

static CUresult create(void)
{
    const struct cushim_event_pool_options options = {.size = sizeof options, .initial = 2};
    struct cushim_event_pool *pool = NULL;
    const CUresult code = cushim_event_pool_create(&pool, swept_world.context, NULL, &options);

    return swept_first(swept_output(code, !pool), cushim_event_pool_release(pool));
}

/* The first is there, the second not yet. */
static CUresult acquire(void)
{
    const struct cushim_event_pool_options options = {.size = sizeof options, .initial = 1};
    struct cushim_event_pool *pool = NULL;
    struct cushim_event *one = NULL, *other = NULL;
    CUresult code = cushim_event_pool_create(&pool, swept_world.context, NULL, &options);

    if (code == CUDA_SUCCESS)
        code = cushim_event_pool_acquire(pool, &one);
    if (code == CUDA_SUCCESS)
        code = cushim_event_pool_acquire(pool, &other);
    swept_output(code, !other);
    code = swept_first(code, cushim_event_release(one));
    code = swept_first(code, cushim_event_release(other));
    return swept_first(code, cushim_event_pool_release(pool));
}

/* A pool goes when its events have come back. */
static CUresult outlive(void)
{
    struct cushim_event_pool *pool = NULL;
    struct cushim_event *event = NULL;
    CUresult code = cushim_event_pool_create(&pool, swept_world.context, NULL, NULL);

    if (code == CUDA_SUCCESS)
        code = cushim_event_pool_acquire(pool, &event);
    swept_output(code, !event);
    code = swept_first(code, cushim_event_pool_release(pool));
    return swept_first(code, cushim_event_release(event));
}

static CUresult retain(void)
{
    return cushim_event_pool_release(cushim_event_pool_retain(swept_world.pool));
}

static CUresult counts(void)
{
    size_t total = 99, free = 99;
    const CUresult code = cushim_event_pool_counts(swept_world.pool, &total, &free);

    return swept_outputs(code, total == 99, free == 99);
}

const struct swept swept_event_pools[] = {
    {.function = "cushim_event_pool_create", .call = create, .calls = 8},
    {.function = "cushim_event_pool_acquire", .call = acquire, .calls = 8},
    {.function = "cushim_event_pool_release", .call = outlive, .calls = 4},
    {.function = "cushim_event_pool_retain", .call = retain},
    {.function = "cushim_event_pool_counts", .call = counts},
    {.function = NULL},
};
