/* SPDX-License-Identifier: Apache-2.0 */
#include "swept.h"

const struct swept *const swept_nouns[SWEPT_NOUNS] = {
    swept_devices,     swept_contexts, swept_streams,
    swept_stream_work, swept_events,   swept_event_pools,
};

struct swept_world swept_world;

/* Events of the world, recorded one after the other and done. */
static CUresult make_events(void)
{
    const struct cushim_event_options shared = {
        .size = sizeof shared, .disable_timing = true, .interprocess = true};
    const struct cushim_event_pool_options pool = {.size = sizeof pool, .initial = 1};
    struct swept_world *world = &swept_world;
    CUresult code = cushim_event_create_recorded(&world->event, world->stream, NULL);

    if (code == CUDA_SUCCESS)
        code = cushim_event_create_recorded(&world->later, world->stream, NULL);
    if (code == CUDA_SUCCESS)
        code = cushim_event_synchronize(world->later);
    if (code == CUDA_SUCCESS)
        code = cushim_event_handle(world->event, &world->event_handle);
    if (code == CUDA_SUCCESS)
        code = cushim_event_create(&world->interprocess, world->context, &shared);
    if (code == CUDA_SUCCESS)
        code = cushim_event_export(world->interprocess, &world->ipc);
    if (code == CUDA_SUCCESS)
        code = cushim_event_pool_create(&world->pool, world->context, NULL, &pool);
    return code;
}

CUresult swept_world_make(void)
{
    struct swept_world *world = &swept_world;
    CUresult code = cushim_init(NULL);

    *world = (struct swept_world){0};
    if (code == CUDA_SUCCESS)
        code = cushim_device_uuid(1, &world->uuid);
    if (code == CUDA_SUCCESS)
        code = cushim_device_pci_address(1, world->pci_address, sizeof world->pci_address);
    if (code == CUDA_SUCCESS)
        code = cushim_context_retain_primary(&world->context, 0);
    if (code == CUDA_SUCCESS)
        code = cushim_context_retain_primary(&world->peer, 1);
    if (code == CUDA_SUCCESS)
        code = cushim_context_handle(world->context, &world->context_handle);
    if (code == CUDA_SUCCESS)
        code = cushim_stream_create(&world->stream, world->context, NULL);
    if (code == CUDA_SUCCESS)
        code = cushim_stream_create(&world->other, world->context, NULL);
    if (code == CUDA_SUCCESS)
        code = cushim_stream_handle(world->stream, &world->stream_handle);
    if (code == CUDA_SUCCESS)
        code = cushim_context_make_current(world->context);
    if (code == CUDA_SUCCESS)
        code = cushim_driver()->MemAlloc_v2(&world->memory, 64);
    if (code == CUDA_SUCCESS)
        code = cushim_driver()->MemsetD8_v2(world->memory, 0, 64);
    return code == CUDA_SUCCESS ? make_events() : code;
}

void swept_world_end(void)
{
    struct swept_world *world = &swept_world;

    cushim_context_make_current(world->context);
    cushim_driver()->CtxSynchronize();
    cushim_driver()->MemFree_v2(world->memory);
    cushim_context_make_current(NULL);
    cushim_event_pool_release(world->pool);
    cushim_event_release(world->interprocess);
    cushim_event_release(world->later);
    cushim_event_release(world->event);
    cushim_stream_release(world->other);
    cushim_stream_release(world->stream);
    cushim_context_release(world->peer);
    cushim_context_release(world->context);
}

CUresult swept_outputs(CUresult code, bool is_one_untouched, bool is_other_untouched)
{
    swept_output(code, is_one_untouched);
    return swept_output(code, is_other_untouched);
}

CUresult swept_first(CUresult one, CUresult other)
{
    return one ? one : other;
}
