/* SPDX-License-Identifier: Apache-2.0 */
#include "src/layer/sweep/run.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cushim/error.h>
#include <cushim/layer.h>
#include <cushim/mock_race.h>

/* What a run takes place in. */
struct world {
    struct cushim_mock *mock; /* NULL: it is over a table of the program's own */
    struct cushim_layer *layer;
    CUcontext current; /* before the body */
};

#if defined(__GNUC__)
__attribute__((format(__printf__, 2, 3)))
#endif
static void
find(struct cushim__sweep_run *run, const char *format, ...)
{
    size_t length = strlen(run->findings);
    va_list arguments;

    if (length > 0 && length + 3 < sizeof run->findings) {
        memcpy(run->findings + length, "; ", 3);
        length += 2;
    }
    va_start(arguments, format);
    vsnprintf(run->findings + length, sizeof run->findings - length, format, arguments);
    va_end(arguments);
}

static void close_world(struct world *world)
{
    cushim_layer_destroy(world->layer);
    cushim_mock_destroy(world->mock);
}

static CUresult open_mock(struct world *world, const struct cushim_sweep_options *options,
                          struct cushim__sweep_run *run)
{
    const struct cushim_mock_options mock = {.size = sizeof mock,
                                             .settings = run->settings,
                                             .file = options->file,
                                             .message = run->findings,
                                             .message_size = sizeof run->findings};
    const CUresult code = cushim_mock_create(&mock, &world->mock);

    return code == CUDA_SUCCESS ? cushim_mock_install(world->mock) : code;
}

static CUresult open_world(struct world *world, const struct cushim_sweep_options *options,
                           struct cushim__sweep_run *run)
{
    struct cushim_layer_options layer = {.size = sizeof layer, .table = options->table};
    CUresult code = CUDA_SUCCESS;

    *world = (struct world){0};
    if (!options->table)
        code = open_mock(world, options, run);
    if (code == CUDA_SUCCESS)
        code = cushim_layer_create(&layer, &world->layer);
    if (code == CUDA_SUCCESS)
        code = cushim_layer_install(world->layer);
    if (code != CUDA_SUCCESS)
        close_world(world);
    return code;
}

/* The context that is current on this thread; NULL: none, or there cannot be one. */
static CUcontext current_context(const struct world *world)
{
    CUcontext context = NULL;

    if (cushim_layer_wrapped(world->layer)->CtxGetCurrent(&context) != CUDA_SUCCESS)
        context = NULL;
    return context;
}

static void look_at_context(const struct world *world, struct cushim__sweep_run *run)
{
    const CUcontext context = current_context(world);

    if (context == world->current)
        return;
    if (context && world->current)
        find(run, "another context is current than before");
    else
        find(run, context ? "a context is left current" : "no context is current any more");
}

static void look_at_mock(const struct world *world, struct cushim__sweep_run *run)
{
    struct cushim_mock_state state = {.size = sizeof state};
    const char *violation, *race;

    cushim_mock_state_get(world->mock, &state);
    if (state.pending > 0)
        find(run, "%zu operations are pending", state.pending);
    if (state.handles > 0)
        find(run, "%zu handles are left", state.handles);
    if (state.allocations > 0)
        find(run, "%zu allocations are left", state.allocations);
    for (size_t i = 0; (violation = cushim_mock_violation(world->mock, i)); i++)
        find(run, "violation: %s", violation);
    for (size_t i = 0; (race = cushim_mock_race(world->mock, i)); i++)
        find(run, "race: %s", race);
}

/* In a frame of its own, which is there when the body jumps. What it answered. */
static int run_body(const struct cushim__sweep *sweep, const struct cushim__sweep_run *run)
{
    jmp_buf way_out;

    if (setjmp(way_out))
        return 0;
    cushim__sweep_begin(&run->order, &way_out);
    return sweep->body(sweep->data);
}

static void look_at_body(struct cushim__sweep_run *run, int verdict)
{
    const struct cushim__sweep_seen *seen = &run->seen;

    if (seen->last)
        find(run, "the body did not end within %llu calls; the next was %s",
             (unsigned long long)run->order.limit, seen->last);
    else if (seen->wrong[0])
        find(run, "the body says: %s", seen->wrong);
    else if (verdict)
        find(run, "the body answered %d", verdict);
}

CUresult cushim__sweep_run(const struct cushim__sweep *sweep, struct cushim__sweep_run *run)
{
    const struct cushim_sweep_options *options = &sweep->options;
    struct world world;
    int verdict = 0;
    CUresult code;

    run->findings[0] = '\0';
    code = open_world(&world, options, run);
    if (code != CUDA_SUCCESS)
        return code;
    if (options->setup)
        verdict = options->setup(sweep->data);
    if (verdict) {
        find(run, "the setup answered %d", verdict);
        code = CUDA_ERROR_ILLEGAL_STATE;
    } else {
        world.current = run->order.current = current_context(&world);
        verdict = run_body(sweep, run);
        cushim__sweep_end(&run->seen);
        look_at_body(run, verdict);
        if (!options->leaves_context)
            look_at_context(&world, run);
    }
    if (options->teardown)
        options->teardown(sweep->data);
    if (world.mock && code == CUDA_SUCCESS)
        look_at_mock(&world, run);
    close_world(&world);
    return code;
}
