/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared code for tests of the modules: a test on the mock (cushim/testing/test.h) with two
 * devices, a context and a stream on each, and a third context, which is current and must stay
 * current.
 *
 * These objects belong to the test and are created through the mock's own table, below the layer.
 * The calls of the modules go through the layer, so they are recorded and meet the fault rules, and
 * at the end of a test none of their objects may be left.
 */
#ifndef CUSHIM_TESTS_MODULES_TESTKIT_H
#define CUSHIM_TESTS_MODULES_TESTKIT_H

#include <cushim/cushim.h>
#include <cushim/testing/mock.h>
#include <cushim/testing/test.h>

#include "tests/support/cmocka.h"

struct testkit {
    struct cushim_mock *mock;
    struct cushim_layer *layer;
    const struct cushim_table *driver;    /* the mock's, below the layer */
    CUcontext first, second, current;     /* on the devices 0, 1 and 1 */
    struct cushim_context *one, *two;     /* wrap the first and the second context */
    CUstream stream_handle;               /* non-blocking, of the first context */
    struct cushim_stream *stream, *other; /* wrap it, and a stream of the second context */
    unsigned log_lines;                   /* log messages in this test */
    char log_last[512];                   /* the last of them */
};
extern struct testkit testkit;

/*
 * A test with `schedule = eager`, so that unblocked work is complete when it is queued; or with
 * other settings of the mock.
 */
#define TEST(name) TEST_BETWEEN(name, testkit_setup, testkit_teardown)
#define TEST_WITH(name, settings) TEST_FROM(name, testkit_setup, testkit_teardown, settings)
int testkit_setup(void **state);
int testkit_teardown(void **state);

/*
 * Assert that the driver calls since the last assertion or testkit_forget() are exactly these:
 * names separated by one blank, with the context "first", "second" or "current" after a push.
 */
#define assert_calls(names) testkit_assert_calls(names, __FILE__, __LINE__)
#define PUSHED_FIRST(calls) "cuCtxPushCurrent_v2(first) " calls " cuCtxPopCurrent_v2"
#define IN_FIRST(calls) "cuCtxGetCurrent " PUSHED_FIRST(calls) /* if it is not current */
void testkit_assert_calls(const char *names, const char *file, int line);
void testkit_forget(void);

/* An argument of a function's last call since then, by the driver's name of the parameter. */
uint64_t testkit_argument(const char *function, const char *name);

/* Add a fault rule (cushim/testing/layer.h); the test fails if it never fires. */
void testkit_fault(const char *rule);

/* The test makes mistakes on purpose, or has what check does not see: check is not to report it. */
void testkit_stop_check(void);

/* Make a context, or NULL, current on an otherwise empty stack. */
void testkit_enter(CUcontext context);

/* The current context. */
CUcontext testkit_current(void);

/*
 * Block a stream, which may be a default stream of the context, with work that does not end before
 * testkit_resume(). That function, and the end of a test, end all queued work.
 */
void testkit_hold(CUcontext context, CUstream stream);
void testkit_resume(void);

/* An event of the modules in the first context; its driver handle. */
struct cushim_event *testkit_event(const struct cushim_event_options *options);
CUevent testkit_event_handle(const struct cushim_event *event);

/* An event in the first context that the program created itself. */
CUevent testkit_foreign_event(unsigned flags);

/*
 * An event as if imported from another process, in the first context. The test replaces
 * cuIpcOpenEventHandle by a function that creates an event like the driver's.
 */
struct cushim_event *testkit_imported_event(void);

extern const struct cushim_event_options testkit_untimed, testkit_interprocess;

/* The ways to get a stream. All but the last are in the first context. */
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
