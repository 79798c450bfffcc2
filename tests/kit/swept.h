/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of the modules, one by one, for sweeps on the mock. */
#ifndef CUSHIM_TESTS_KIT_SWEPT_H
#define CUSHIM_TESTS_KIT_SWEPT_H

#include <stdbool.h>
#include <stddef.h>

#include <cushim/cushim.h>

/* What there is before each call: two devices, and no context that is current. */
struct swept_world {
    struct cushim_context *context, *peer; /* the primary contexts of devices 0 and 1 */
    CUcontext context_handle;
    struct cushim_stream *stream, *other;
    CUstream stream_handle;
    struct cushim_event *event, *later; /* recorded and done */
    struct cushim_event *interprocess;
    CUevent event_handle;
    struct cushim_event_pool *pool; /* with one event that is free */
    CUdeviceptr memory;
    CUuuid uuid;
    char pci_address[32];
    CUipcEventHandle ipc; /* of `interprocess` */
};
extern struct swept_world swept_world;

/* Make it, with the first context current, on a driver that is found by cushim_init(); end it. */
CUresult swept_world_make(void);
void swept_world_end(void);

/* A function, called once and what it makes given back. */
struct swept {
    const char *function;
    CUresult (*call)(void); /* the first code that is not CUDA_SUCCESS */
    unsigned calls;         /* of the driver, if none fails */
    enum {
        SWEPT_IN_CONTEXT = 1, /* the context is current */
        SWEPT_IS_SILENT = 2,  /* its header says that a failure is not told */
    } how;
    CUresult usual; /* what it answers if nothing fails */
};

/* By noun; the last has no function. */
extern const struct swept swept_devices[];
extern const struct swept swept_contexts[];
extern const struct swept swept_streams[];
extern const struct swept swept_stream_work[];
extern const struct swept swept_events[];
extern const struct swept swept_event_pools[];

enum { SWEPT_NOUNS = 6 };
extern const struct swept *const swept_nouns[SWEPT_NOUNS];

/*
 * For bodies: the code, after a look at what a call writes to if and only if it succeeds. The look
 * is the program's own.
 */
CUresult swept_output(CUresult code, bool is_untouched);
CUresult swept_outputs(CUresult code, bool is_one_untouched, bool is_other_untouched);

/* The first that is not CUDA_SUCCESS. */
CUresult swept_first(CUresult one, CUresult other);

#endif
