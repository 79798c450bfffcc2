/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of the modules, one by one, for sweeps on the mock. */
#ifndef CUSHIM_TESTS_MODULES_SWEEP_H
#define CUSHIM_TESTS_MODULES_SWEEP_H

#include <stdbool.h>
#include <stddef.h>

#include <cushim/cushim.h>

/* What there is before each call: two devices, and no context that is current. */
struct sweep_fixture {
    struct cushim_context *context, *peer; /* the primary contexts of devices 0 and 1 */
    CUcontext context_handle;
    struct cushim_stream *stream, *other; /* the first is of the kind below */
    struct cushim_stream *created;        /* as the first, if that is a created one */
    CUstream stream_handle;               /* of `created` */
    struct cushim_event *event, *later;   /* recorded and done */
    struct cushim_event *interprocess;
    CUevent event_handle;
    struct cushim_event_pool *pool; /* with one event that is free */
    CUuuid uuid;                    /* of the second device */
    CUipcEventHandle ipc;           /* of `interprocess` */
};
extern struct sweep_fixture fixture;

/* The kind of the stream: ways to come by one, and two that cannot be used. */
extern enum sweep_stream {
    SWEEP_CREATED,
    SWEEP_WRAPPED,      /* without its context */
    SWEEP_DEFAULT,      /* in the first context */
    SWEEP_DEFAULT_BARE, /* in the current one, which is then the first */
    SWEEP_CLOSED,
    SWEEP_NULL,
    SWEEP_STREAMS
} sweep_stream;

/*
 * Make it, with the first context current, on a driver that is found by cushim_driver_init(); end
 * it.
 */
CUresult sweep_fixture_make(void);
void sweep_fixture_destroy(void);

/* A function, called once and what it makes given back. */
struct sweep_row {
    const char *function;
    CUresult (*call)(void); /* the first code that is not CUDA_SUCCESS */
    unsigned calls;         /* of the driver, if none fails */
    enum {
        SWEEP_IN_CONTEXT = 1, /* the context is current */
        SWEEP_IS_SILENT = 2,  /* its header says that a failure is not returned */
        SWEEP_ON_STREAM = 4,  /* acts on the stream, which may be of any kind */
    } how;
    CUresult usual;       /* what it answers if nothing fails */
    const char *settings; /* of the mock, beside two devices */
};

/* By header; the last has no function. */
extern const struct sweep_row sweep_devices[];
extern const struct sweep_row sweep_contexts[];
extern const struct sweep_row sweep_streams[];
extern const struct sweep_row sweep_events[];

enum { SWEEP_TABLES = 4 };
extern const struct sweep_row *const sweep_tables[SWEEP_TABLES];

/*
 * For bodies: the code, after a look at what a call writes to if and only if it succeeds. The look
 * is the program's own.
 */
CUresult sweep_output(CUresult code, bool is_untouched);
CUresult sweep_outputs(CUresult code, bool is_one_untouched, bool is_other_untouched);

/* The first that is not CUDA_SUCCESS. */
CUresult sweep_first(CUresult one, CUresult other);

#endif
