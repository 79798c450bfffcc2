/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tests of the modules share: a test on the mock (cushim/testing/test.h) with two devices, a
 * context and a stream on each, and a third context that is current and has to stay that.
 *
 * These belong to the test: they are made by the mock's own table, past the layer. What the modules
 * do goes through the layer, so it is recorded, meets the fault rules, and at the end of a test
 * nothing of it may be left.
 */
#ifndef CUSHIM_TESTS_MODULES_TESTKIT_H
#define CUSHIM_TESTS_MODULES_TESTKIT_H

#include <stdbool.h>

#include <cushim/cushim.h>
#include <cushim/testing/mock.h>
#include <cushim/testing/test.h>

#include "tests/support/cmocka.h"

struct testkit {
    struct cushim_mock *mock;
    struct cushim_layer *layer;
    const struct cushim_table *driver;    /* the mock's, past the layer */
    CUcontext first, second, current;     /* on the devices 0, 1 and 1 */
    struct cushim_context *one, *two;     /* wrap the first and the second context */
    CUstream stream_handle;               /* non-blocking, of the first context */
    struct cushim_stream *stream, *other; /* wrap it, and one of the second context */
    unsigned log_lines;                   /* messages of the log in this test */
    char log_last[512];                   /* and the last of these */
};
extern struct testkit testkit;

/*
 * A test: `schedule = eager`, so that work which nothing holds up is done when it is queued; or
 * with other settings of the mock.
 */
#define TEST(f) cmocka_unit_test_setup_teardown(f, testkit_setup, testkit_teardown)
#define TEST_WITH(f, settings) \
    cmocka_unit_test_prestate_setup_teardown(f, testkit_setup, testkit_teardown, (void *)(settings))
int testkit_setup(void **state);
int testkit_teardown(void **state);

/*
 * The driver calls since the last look or testkit_forget() are exactly these: names with one blank
 * between, and behind a push the context, which is "first", "second" or "current".
 */
#define assert_calls(names) testkit_assert_calls(names, __FILE__, __LINE__)
#define PUSHED_FIRST(calls) "cuCtxPushCurrent_v2(first) " calls " cuCtxPopCurrent_v2"
#define IN_FIRST(calls) "cuCtxGetCurrent " PUSHED_FIRST(calls) /* where it is not current */
void testkit_assert_calls(const char *names, const char *file, int line);
void testkit_forget(void);

/* An argument of the last call of a function since then, by the driver's name for it. */
uint64_t testkit_argument(const char *function, const char *name);

/* Add a fault rule (cushim/testing/layer.h); one that never takes effect fails the test. */
void testkit_fault(const char *rule);

/* Make a context current, on a stack that is empty otherwise; NULL: none. */
void testkit_enter(CUcontext context);

/* The context that is current. */
CUcontext testkit_current(void);

/*
 * Let a stream, which may be a default one of the context, have work that does not end before
 * testkit_resume(), which ends all that is queued; so does the end of a test.
 */
void testkit_hold(CUcontext context, CUstream stream);
void testkit_resume(void);

/* An event of the first context through the modules; its driver handle. */
struct cushim_event *testkit_event(const struct cushim_event_options *options);
CUevent testkit_event_handle(const struct cushim_event *event);

/* An event that the program made, in the first context. */
CUevent testkit_foreign_event(unsigned flags);

/*
 * An event of the first context that came from another process. There is none: cuIpcOpenEventHandle
 * is a function of the test's, which creates an event such as the driver makes of it.
 */
struct cushim_event *testkit_imported_event(void);

extern const struct cushim_event_options testkit_untimed, testkit_interprocess;

/* The ways to come by a stream. All but the last act in the first context. */
enum testkit_stream_kind {
    CREATED,
    WRAPPED,
    WRAPPED_BARE,
    DEFAULT_OF_CONTEXT,
    DEFAULT_BARE,
    KINDS
};
struct cushim_stream *testkit_stream(enum testkit_stream_kind kind);
CUstream testkit_handle(const struct cushim_stream *stream);

#endif
