/* SPDX-License-Identifier: Apache-2.0 */
/* What programs about the order of work use: a context, streams and memory. */
#ifndef CUSHIM_TESTS_CHECK_ORDER_OBJECTS_H
#define CUSHIM_TESTS_CHECK_ORDER_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>

#include <cushim/table.h>

enum { ORDER_BYTES = 4096 };

extern const struct cushim_table
    *order_below;                 /* the driver past the layer: what check does not see */
extern CUcontext order_context;   /* current */
extern CUstream order_streams[2]; /* non-blocking */
extern CUdeviceptr order_memory;  /* ORDER_BYTES of the device */
extern char *order_host;          /* page-locked, as many */

/* Make them; nothing is left behind them. */
void order_make(void);
void order_leave(void);

CUstream order_stream(unsigned flags);
CUevent order_event(unsigned flags);

/* Two works on one memory that need an order: a set on a stream, and a copy of it to the host. */
void order_write(CUstream stream);
void order_read(CUstream stream);

/* Work that holds up a stream for so long. */
void order_spin(CUstream stream);

/* The same, by a launch that records an event. */
void order_spin_recording(CUstream stream, CUevent event);

/* Work that loses the context. */
void order_fault(CUstream stream);

/* All work is done, and check knows nothing of that. */
void order_drain_unseen(void);

/*
 * What orders works, as programs: each is written twice, with what orders two uses of the same
 * memory and without it.
 */
struct order_edge {
    const char *name;
    void (*run)(bool is_ordered);
};

#define ORDER_EDGE(name) \
    {                    \
#name, name      \
    }

/* Those with a known order, up to a NULL name. */
extern const struct order_edge order_edges[];

#endif
