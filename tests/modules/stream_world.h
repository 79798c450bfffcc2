/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The world of the tests of streams: the fake driver, two contexts of somebody else's on two
 * devices, and a third one that is the caller's current one and must stay that.
 */
#ifndef CUSHIM_TESTS_MODULES_STREAM_WORLD_H
#define CUSHIM_TESTS_MODULES_STREAM_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cushim/cushim.h>

#include "fake.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct stream_world {
    CUcontext handle, other_handle, current; /* the driver's contexts, on devices 0, 1 and 1 */
    struct cushim_context *context, *other;  /* objects of the first two */
    struct cushim_event *event;              /* of the first context, not recorded */
};
extern struct stream_world world;

int stream_world_setup(void **state);
int stream_world_teardown(void **state);

/* The ways to come by a stream. All but the last act in the first context. */
enum stream_kind { CREATED, WRAPPED, WRAPPED_BARE, DEFAULT_OF_CONTEXT, DEFAULT_BARE, STREAM_KINDS };
struct cushim_stream *stream_make(enum stream_kind kind);

/* A non-blocking stream of the first (the other) context. */
struct cushim_stream *stream_create(void);
struct cushim_stream *stream_create_other(void);

/* The per-thread default stream of the first context. */
struct cushim_stream *stream_default(void);

void stream_drop(struct cushim_stream *stream);

/* The driver's handle, and the driver's own object behind it. */
CUstream stream_handle(struct cushim_stream *stream);
struct fake_stream *stream_fake(struct cushim_stream *stream);

/*
 * Every function on a stream, with arguments that it likes. What it writes it writes to memory that
 * must be untouched if it fails.
 */
struct stream_function {
    const char *name;
    CUresult (*call)(struct cushim_stream *stream);
    bool is_alone; /* succeeds on any stream, and leaves it as it was */
};
extern const struct stream_function stream_functions[];
extern const size_t stream_function_count;

/* Let the library have no memory from now on. */
void stream_lack_memory(bool lack);

/* What the library logged in this test: how many lines, and the last one. */
extern unsigned stream_log_lines;
extern char stream_log_last[256];

#endif
