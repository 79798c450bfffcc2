/* SPDX-License-Identifier: Apache-2.0 */
#include "src/testkit/sweep_run.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cushim/error.h>
#include <cushim/testing/mock.h>
#include <cushim/testing/test.h>

#include "src/layer/expectation.h"
#include "src/layer/layer.h"
#include "src/layer/leak_report.h"
#include "src/testkit/primary_pin.h"
#include "src/testkit/sweep_progress.h"

/* What a run takes place in. */
struct world {
    const struct cushim_table *former; /* NULL: no table is swept, but a mock */
    struct cushim_test *test;
    struct cushim_mock *mock; /* NULL: it is over a table of the program's own */
    struct cushim_layer *layer;
    CUcontext current; /* before the body */
    uint64_t calls;    /* through the layer, before the body */
};

static void append(struct cushim__sweep_run *run, const char *between, const char *text)
{
    const size_t length = strlen(run->findings);

    snprintf(run->findings + length, sizeof run->findings - length, "%s%s", between, text);
}

#if defined(__GNUC__)
__attribute__((format(__printf__, 2, 3)))
#endif
static void
find(struct cushim__sweep_run *run, const char *format, ...)
{
    char text[CUSHIM__SWEEP_FINDINGS];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    append(run, run->findings[0] ? "; " : "", text);
}

/* Cut the first line off a text; the rest of it. */
static char *cut_line(char *text)
{
    const size_t length = strcspn(text, "\n");
    char *rest = text + length + (text[length] == '\n');

    text[length] = '\0';
    return rest;
}

static void close_world(struct world *world)
{
    cushim_test_end(world->test, NULL, 0);
    if (world->former)
        cushim_table_install(world->former, NULL);
}

static CUresult open_world(struct world *world, const struct cushim_sweep_options *options,
                           struct cushim__sweep_run *run)
{
    const struct cushim_test_options test = {.size = sizeof test,
                                             .settings = run->order.settings,
                                             .file = options->file,
                                             .on_driver = options->table != NULL,
                                             .capacity = 1, /* nobody reads what is recorded */
                                             .message = run->findings,
                                             .message_size = sizeof run->findings};
    CUresult code = CUDA_SUCCESS;

    *world = (struct world){0};
    if (options->table)
        code = cushim_table_install(options->table, &world->former);
    if (code == CUDA_SUCCESS)
        code = cushim_test_begin(&test, &world->test);
    if (code != CUDA_SUCCESS)
        close_world(world);
    world->mock = cushim_test_mock(world->test);
    world->layer = cushim_test_layer(world->test);
    return code;
}

/* Why there is no world for a run. */
static void tell_obstacle(struct cushim__sweep_run *run, CUresult code)
{
    const char *running = cushim_sweep_running();

    if (code != CUDA_ERROR_ALREADY_ACQUIRED) {
        if (!run->findings[0])
            find(run, "no mock or no layer can be made: %s", cushim_error_name(code));
        return;
    }
    run->findings[0] = '\0'; /* what a test would say of it */
    if (running)
        find(run,
             "a run of a sweep has not ended: a body must not sweep, nor be left by longjmp(), as "
             "an assertion of cmocka leaves it and a crash that cmocka catches; that run: %s",
             running);
    else
        find(run,
             "there is a %s in this process: a sweep makes its own for each run, and a test that "
             "has begun must have ended before",
             cushim_layer_current() ? "layer" : "mock");
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

/* What the body has made and not given back; the lines of a list as one. */
static void look_at_left(const struct world *world, struct cushim__sweep_run *run)
{
    char lines[CUSHIM__SWEEP_FINDINGS], *line = lines, *next;
    struct cushim__text text;
    bool is_first = true;

    cushim__text_begin(&text, lines, sizeof lines);
    cushim__left_tell_since(&text, world->calls);
    for (; *line; line = next) {
        next = cut_line(line);
        if (strncmp(line, "  ", 2) != 0)
            find(run, "%s", line);
        else
            append(run, is_first ? " " : ", ", line + 2);
        is_first = strncmp(line, "  ", 2) != 0;
    }
    for (int device = 0; device < CUSHIM__HOLD_DEVICES; device++) {
        if (cushim__hold_surplus(device) > 0)
            find(run, "the primary context of device %d is retained and not released", device);
    }
}

/* Those that no scope expects. A scope in which none came is no matter: another call has failed. */
static void look_at_errors(const struct world *world, struct cushim__sweep_run *run)
{
    char lines[CUSHIM__SWEEP_FINDINGS], *line = lines, *next;
    struct cushim__text text;

    cushim__text_begin(&text, lines, sizeof lines);
    cushim__lock_take(&world->layer->lock);
    cushim__errors_tell(&text);
    cushim__lock_release(&world->layer->lock);
    for (; *line; line = next) {
        next = cut_line(line);
        if (strncmp(line, "expected ", 9) != 0)
            find(run, "%s", line);
    }
}

static void look_at_mock(const struct world *world, struct cushim__sweep_run *run)
{
    struct cushim_mock_state state = {.size = sizeof state};
    const char *violation, *race;

    /* A body whose wait has failed may leave its work to the end of the context. */
    if (run->order.nth > 0)
        cushim_mock_drain(world->mock);
    cushim_mock_state_get(world->mock, &state);
    if (state.pending > 0)
        find(run, state.pending == 1 ? "%zu operation is pending" : "%zu operations are pending",
             state.pending);
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

static void look_at_body(struct cushim__sweep_run *run)
{
    const struct cushim__sweep_seen *seen = &run->seen;

    if (seen->last)
        find(run, "the body did not end within %llu calls; the next was %s",
             (unsigned long long)run->order.limit, seen->last);
    else if (seen->wrong[0])
        find(run, "the body says: %s", seen->wrong);
    else if (run->verdict)
        find(run, "the body answered %d", run->verdict);
}

/* Whether the body has left what it ran on. */
static bool is_whole(const struct world *world)
{
    return cushim_layer_current() == world->layer &&
           (!world->mock || cushim_mock_current() == world->mock);
}

/* The body, and what was wrong with it. */
static void look(struct world *world, const struct cushim__sweep *sweep,
                 struct cushim__sweep_run *run)
{
    world->calls = world->layer->calls;
    world->current = run->order.current = current_context(world);
    cushim__hold_begin();
    if (sweep->options.forbid_errors)
        cushim_errors_forbid(world->layer, true);
    run->verdict = run_body(sweep, run);
    cushim__sweep_end(&run->seen);
    if (!is_whole(world)) {
        find(run, "the body has destroyed the mock or the layer that it ran on");
        return;
    }
    if (sweep->options.forbid_errors)
        cushim_errors_forbid(world->layer, false);
    cushim__hold_settle();
    look_at_body(run);
    look_at_left(world, run);
    if (sweep->options.forbid_errors)
        look_at_errors(world, run);
    if (!sweep->options.leaves_context)
        look_at_context(world, run);
}

CUresult cushim__sweep_run(const struct cushim__sweep *sweep, struct cushim__sweep_run *run)
{
    const struct cushim_sweep_options *options = &sweep->options;
    struct world world;
    int verdict = 0;
    CUresult code;

    run->findings[0] = '\0';
    code = open_world(&world, options, run);
    if (code != CUDA_SUCCESS) {
        tell_obstacle(run, code);
        return code;
    }
    cushim__sweep_running_begin(&run->order);
    if (options->setup)
        verdict = options->setup(sweep->data);
    if (verdict) {
        find(run, "the setup answered %d", verdict);
        code = CUDA_ERROR_ILLEGAL_STATE;
    } else {
        look(&world, sweep, run);
    }
    if (options->teardown)
        options->teardown(sweep->data);
    if (world.mock && code == CUDA_SUCCESS && is_whole(&world))
        look_at_mock(&world, run);
    cushim__hold_end();
    close_world(&world);
    cushim__sweep_running_end();
    return code;
}
