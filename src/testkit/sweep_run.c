/* SPDX-License-Identifier: Apache-2.0 */
/* One run of a sweep: its own mock and layer, the body on them, and what was wrong. */
#include "src/testkit/sweep.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cushim/error.h>
#include <cushim/testing/mock.h>
#include <cushim/testing/test.h>

#include "src/check/check.h"
#include "src/layer/expectation.h"
#include "src/layer/layer.h"
#include "src/layer/leak_tracker.h"

enum { PINNED_DEVICES = 64 };

/* Primary contexts that are pinned. Under the layer's lock. */
static struct {
    bool is_on; /* read without the lock */
    bool is_pinned[PINNED_DEVICES];
} pins;

void cushim__pins_begin(void)
{
    cushim__lock_take(&cushim__layer->lock);
    memset(&pins, 0, sizeof pins);
    __atomic_store_n(&pins.is_on, true, __ATOMIC_RELAXED);
    cushim__subscriber_set(CUSHIM__SWEEP, &cushim__sweep_subscriber);
    cushim__subscribe(CUSHIM__SWEEP, CUSHIM__SLOT(DevicePrimaryCtxRetain), true);
    cushim__lock_release(&cushim__layer->lock);
}

static bool pin(int device)
{
    bool is_new;

    cushim__lock_take(&cushim__layer->lock);
    is_new = pins.is_on && !pins.is_pinned[device];
    pins.is_pinned[device] = true;
    cushim__lock_release(&cushim__layer->lock);
    return is_new;
}

/* Pin a context through the layer, so that the tracker counts the reference. */
void cushim__pins_call_ended(const struct cushim__call *call, CUresult answer)
{
    CUcontext context;
    CUdevice device;

    if (!__atomic_load_n(&pins.is_on, __ATOMIC_RELAXED) || answer != CUDA_SUCCESS ||
        call->slot != CUSHIM__SLOT(DevicePrimaryCtxRetain))
        return;
    device = (CUdevice)call->values[1];
    if (device >= 0 && device < PINNED_DEVICES && pin(device))
        cushim__layer_table.DevicePrimaryCtxRetain(&context, device);
}

void cushim__pins_ignore(void)
{
    cushim__lock_take(&cushim__layer->lock);
    __atomic_store_n(&pins.is_on, false, __ATOMIC_RELAXED);
    for (int device = 0; device < PINNED_DEVICES; device++) {
        if (pins.is_pinned[device])
            cushim__tracker_ignore_primary(device);
    }
    cushim__lock_release(&cushim__layer->lock);
}

void cushim__pins_end(void)
{
    __atomic_store_n(&pins.is_on, false, __ATOMIC_RELAXED);
    for (int device = 0; device < PINNED_DEVICES; device++) {
        if (pins.is_pinned[device])
            cushim__layer->wrapped->DevicePrimaryCtxRelease_v2(device);
        pins.is_pinned[device] = false;
    }
}

/* The mock and the layer of a run. */
struct fixture {
    const struct cushim_table *former; /* NULL if a mock is swept, not a table */
    struct cushim_test *test;
    struct cushim_mock *mock; /* NULL if a table of the program is swept */
    struct cushim_layer *layer;
    CUcontext current;              /* current before the body */
    struct cushim__check_part part; /* the body */
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

/* Cut the first line off a text. Returns the rest. */
static char *cut_line(char *text)
{
    const size_t length = strcspn(text, "\n");
    char *rest = text + length + (text[length] == '\n');

    text[length] = '\0';
    return rest;
}

/* Add each of these lines. */
static void find_lines(struct cushim__sweep_run *run, char *lines)
{
    for (char *next; *lines; lines = next) {
        next = cut_line(lines);
        find(run, "%s", lines);
    }
}

static void close_fixture(struct fixture *fixture)
{
    cushim_test_end(fixture->test, NULL, 0);
    if (fixture->former)
        cushim_table_install(fixture->former, NULL);
}

static CUresult open_fixture(struct fixture *fixture, const struct cushim_sweep_options *options,
                             struct cushim__sweep_run *run)
{
    const struct cushim_test_options test = {.size = sizeof test,
                                             .settings = run->order.settings,
                                             .file = options->file,
                                             .on_driver = options->table != NULL,
                                             .context = options->context,
                                             .capacity = 1, /* the recording is not read */
                                             .message = run->findings,
                                             .message_size = sizeof run->findings};
    CUresult code = CUDA_SUCCESS;

    *fixture = (struct fixture){0};
    if (options->table)
        code = cushim_table_install(options->table, &fixture->former);
    if (code == CUDA_SUCCESS)
        code = cushim_test_begin(&test, &fixture->test);
    if (code != CUDA_SUCCESS)
        close_fixture(fixture);
    fixture->mock = cushim_test_mock(fixture->test);
    fixture->layer = cushim_test_layer(fixture->test);
    return code;
}

/* Why there is no fixture for a run. */
static void print_obstacle(struct cushim__sweep_run *run, CUresult code)
{
    const char *running = cushim_sweep_running();

    if (code != CUDA_ERROR_ALREADY_ACQUIRED) {
        if (!run->findings[0])
            find(run, "no mock or no layer can be made: %s", cushim_error_name(code));
        return;
    }
    run->findings[0] = '\0'; /* discard the reason that the test gave */
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

/* The context that is current on this thread; NULL if there is none, or if there cannot be one. */
static CUcontext current_context(const struct fixture *fixture)
{
    CUcontext context = NULL;

    if (cushim_layer_wrapped(fixture->layer)->CtxGetCurrent(&context) != CUDA_SUCCESS)
        context = NULL;
    return context;
}

static void look_at_context(const struct fixture *fixture, struct cushim__sweep_run *run)
{
    const CUcontext context = current_context(fixture);

    if (context == fixture->current)
        return;
    if (context && fixture->current)
        find(run, "another context is current than before");
    else
        find(run, context ? "a context is left current" : "no context is current any more");
}

/* Add errors that no scope expects. Scopes without errors are allowed: another call has failed. */
static void look_at_errors(const struct fixture *fixture, struct cushim__sweep_run *run)
{
    char lines[CUSHIM__SWEEP_FINDINGS], *line = lines, *next;
    struct cushim__text text;

    cushim__text_begin(&text, lines, sizeof lines);
    cushim__lock_take(&fixture->layer->lock);
    cushim__errors_print(&text);
    cushim__lock_release(&fixture->layer->lock);
    for (; *line; line = next) {
        next = cut_line(line);
        if (strncmp(line, "expected ", 9) != 0)
            find(run, "%s", line);
    }
}

/* Add what check has found, unless the body has stopped it. */
static void look_at_check(struct cushim__sweep_run *run)
{
    char lines[CUSHIM__SWEEP_FINDINGS];
    struct cushim__text text;

    cushim__text_begin(&text, lines, sizeof lines);
    cushim__check_verdict(&text, false);
    find_lines(run, lines);
}

static void look_at_mock(const struct fixture *fixture, struct cushim__sweep_run *run)
{
    struct cushim_mock_state state = {.size = sizeof state};

    /* If its wait has failed, a body may leave its work to the end of the context. */
    if (run->order.nth > 0)
        cushim_mock_drain(fixture->mock);
    cushim_mock_get_state(fixture->mock, &state);
    if (state.pending > 0)
        find(run, state.pending == 1 ? "%zu operation is pending" : "%zu operations are pending",
             state.pending);
}

/* Returns what the body returned. The frame of setjmp() still exists when the body jumps to it. */
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
    const struct cushim__sweep_outcome *outcome = &run->outcome;

    if (outcome->last)
        find(run, "the body did not end within %llu calls; the next was %s",
             (unsigned long long)run->order.limit, outcome->last);
    else if (outcome->wrong[0])
        find(run, "the body says: %s", outcome->wrong);
    else if (run->verdict)
        find(run, "the body answered %d", run->verdict);
}

/* Whether the mock and the layer still exist after the body. */
static bool is_whole(const struct fixture *fixture)
{
    return cushim_layer_current() == fixture->layer &&
           (!fixture->mock || cushim_mock_current() == fixture->mock);
}

/* Run the body, and find out what was wrong with it. */
static void look(struct fixture *fixture, const struct cushim__sweep *sweep,
                 struct cushim__sweep_run *run)
{
    cushim__lock_take(&fixture->layer->lock);
    cushim__check_part_begin(&fixture->part);
    cushim__lock_release(&fixture->layer->lock);
    fixture->current = run->order.current = current_context(fixture);
    cushim__pins_begin();
    if (sweep->options.forbid_errors)
        cushim_layer_forbid_errors(fixture->layer, true);
    run->verdict = run_body(sweep, run);
    cushim__sweep_end(&run->outcome);
    if (!is_whole(fixture)) {
        find(run, "the body has destroyed the mock or the layer that it ran on");
        return;
    }
    if (sweep->options.forbid_errors)
        cushim_layer_forbid_errors(fixture->layer, false);
    cushim__pins_ignore();
    cushim__test_add_leaks(&fixture->part);
    look_at_body(run);
    if (sweep->options.forbid_errors)
        look_at_errors(fixture, run);
    if (!sweep->options.leaves_context)
        look_at_context(fixture, run);
}

CUresult cushim__sweep_run(const struct cushim__sweep *sweep, struct cushim__sweep_run *run)
{
    const struct cushim_sweep_options *options = &sweep->options;
    struct fixture fixture;
    int verdict = 0;
    CUresult code;

    run->findings[0] = '\0';
    code = open_fixture(&fixture, options, run);
    if (code != CUDA_SUCCESS) {
        print_obstacle(run, code);
        return code;
    }
    cushim__sweep_progress_begin(&run->order);
    if (options->setup)
        verdict = options->setup(sweep->data);
    if (verdict) {
        find(run, "the setup answered %d", verdict);
        code = CUDA_ERROR_ILLEGAL_STATE;
    } else {
        look(&fixture, sweep, run);
    }
    if (options->teardown)
        options->teardown(sweep->data);
    if (code == CUDA_SUCCESS && is_whole(&fixture)) {
        if (fixture.mock)
            look_at_mock(&fixture, run);
        look_at_check(run);
    }
    cushim__pins_end();
    close_fixture(&fixture);
    cushim__sweep_progress_end();
    return code;
}
