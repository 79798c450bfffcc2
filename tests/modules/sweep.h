/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of the modules, one by one, for sweeps on the mock. */
#ifndef CUSHIM_TESTS_MODULES_SWEEP_H
#define CUSHIM_TESTS_MODULES_SWEEP_H

#include <stdbool.h>
#include <stddef.h>

#include <cushim/cushim.h>

/* The objects that exist before each call: two devices, and no current context. */
struct sweep_fixture {
    struct cushim_context *context, *peer; /* the primary contexts of devices 0 and 1 */
    CUcontext context_handle;
    struct cushim_stream *stream, *other; /* the first is of the kind below */
    struct cushim_stream *created;        /* the same as `stream`, if that one was created */
    CUstream stream_handle;               /* of `created` */
    struct cushim_event *event, *later;   /* recorded and complete */
    struct cushim_event *interprocess;
    CUevent event_handle;
    struct cushim_event_pool *pool; /* with one free event */
    CUuuid uuid;                    /* of the second device */
    CUipcEventHandle ipc;           /* of `interprocess` */
};
extern struct sweep_fixture fixture;

/* The kind of the stream: the ways to get one, and two that cannot be used. */
extern enum sweep_stream {
    SWEEP_CREATED,
    SWEEP_WRAPPED,      /* without its context */
    SWEEP_DEFAULT,      /* in the first context */
    SWEEP_DEFAULT_BARE, /* in the current context, which is then the first */
    SWEEP_CLOSED,
    SWEEP_NULL,
    SWEEP_STREAMS
} sweep_stream;

/*
 * Make the fixture, with the first context current, on a driver that cushim_driver_init() finds;
 * destroy it.
 */
CUresult sweep_fixture_make(void);
void sweep_fixture_destroy(void);

/* A row calls a function once and releases the result. */
struct sweep_row {
    const char *function;
    CUresult (*call)(void); /* returns the first code other than success */
    unsigned calls;         /* driver calls, if none fails */
    enum {
        SWEEP_IN_CONTEXT = 1, /* the context is current */
        SWEEP_IS_SILENT = 2,  /* its header says that a failure is not returned */
        SWEEP_ON_STREAM = 4,  /* acts on the stream, which may be of any kind */
    } how;
    CUresult usual;       /* the code if no call fails */
    const char *settings; /* settings of the mock, in addition to two devices */
};

/* For each header; a row without a function ends each table. */
extern const struct sweep_row sweep_devices[];
extern const struct sweep_row sweep_contexts[];
extern const struct sweep_row sweep_streams[];
extern const struct sweep_row sweep_events[];

enum { SWEEP_TABLES = 4 };
extern const struct sweep_row *const sweep_tables[SWEEP_TABLES];

/*
 * For bodies: returns the code, after checking that outputs were written if and only if it is
 * success. A violation is a bug that the body reports itself.
 */
CUresult sweep_output(CUresult code, bool is_untouched);
CUresult sweep_outputs(CUresult code, bool is_one_untouched, bool is_other_untouched);

/* The first code that is not CUDA_SUCCESS. */
CUresult sweep_first(CUresult one, CUresult other);

#endif
