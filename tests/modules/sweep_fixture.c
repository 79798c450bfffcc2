/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep.h"
#include "tests/support/then.h"

const struct sweep_row *const sweep_tables[SWEEP_TABLES] = {sweep_devices, sweep_contexts,
                                                            sweep_streams, sweep_events};

struct sweep_fixture fixture;
enum sweep_stream sweep_stream;

/* Make the stream to test, next to the created one. */
static CUresult make_stream(void)
{
    struct cushim_context *const context = sweep_stream == SWEEP_DEFAULT ? fixture.context : NULL;
    const bool is_default = sweep_stream == SWEEP_DEFAULT || sweep_stream == SWEEP_DEFAULT_BARE;
    CUresult code;

    if (sweep_stream == SWEEP_NULL)
        return CUDA_SUCCESS;
    if (sweep_stream == SWEEP_CREATED) {
        fixture.stream = cushim_stream_retain(fixture.created);
        return CUDA_SUCCESS;
    }
    code = cushim_stream_wrap(is_default ? CU_STREAM_PER_THREAD : fixture.stream_handle, context,
                              &fixture.stream);
    return code || sweep_stream != SWEEP_CLOSED ? code : cushim_stream_close(fixture.stream);
}

/* Two events that are recorded one after the other and complete. */
static CUresult make_events(void)
{
    const struct cushim_event_options shared = {
        .size = sizeof shared, .disable_timing = true, .interprocess = true};
    const struct cushim_event_pool_options pool = {.size = sizeof pool, .initial = 1};
    struct sweep_fixture *its = &fixture;
    CUresult code = cushim_event_create_recorded(its->created, NULL, &its->event);

    THEN(cushim_event_create_recorded(its->created, NULL, &its->later));
    THEN(cushim_event_synchronize(its->later));
    THEN(cushim_event_get_handle(its->event, &its->event_handle));
    THEN(cushim_event_create(its->context, &shared, &its->interprocess));
    THEN(cushim_event_export(its->interprocess, &its->ipc));
    THEN(cushim_event_pool_create(its->context, NULL, &pool, &its->pool));
    return code;
}

CUresult sweep_fixture_make(void)
{
    struct sweep_fixture *its = &fixture;
    CUresult code = cushim_driver_init(NULL);

    *its = (struct sweep_fixture){0};
    THEN(cushim_device_get_uuid(1, &its->uuid));
    THEN(cushim_context_retain_primary(0, &its->context));
    THEN(cushim_context_retain_primary(1, &its->peer));
    THEN(cushim_context_get_handle(its->context, &its->context_handle));
    THEN(cushim_stream_create(its->context, NULL, &its->created));
    THEN(cushim_stream_create(its->context, NULL, &its->other));
    THEN(cushim_stream_get_handle(its->created, &its->stream_handle));
    THEN(cushim_context_make_current(its->context));
    THEN(make_events());
    return code == CUDA_SUCCESS ? make_stream() : code;
}

void sweep_fixture_destroy(void)
{
    struct sweep_fixture *its = &fixture;

    cushim_context_make_current(its->context);
    cushim_driver()->CtxSynchronize();
    cushim_context_make_current(NULL);
    cushim_event_pool_release(its->pool);
    cushim_event_release(its->interprocess);
    cushim_event_release(its->later);
    cushim_event_release(its->event);
    cushim_stream_release(its->other);
    cushim_stream_release(its->stream);
    cushim_stream_release(its->created);
    cushim_context_release(its->peer);
    cushim_context_release(its->context);
}

CUresult sweep_outputs(CUresult code, bool is_one_untouched, bool is_other_untouched)
{
    sweep_output(code, is_one_untouched);
    return sweep_output(code, is_other_untouched);
}

CUresult sweep_first(CUresult one, CUresult other)
{
    return one ? one : other;
}
