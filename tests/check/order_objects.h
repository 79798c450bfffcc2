/* SPDX-License-Identifier: Apache-2.0 */
/* Objects for programs about the order of work: a context, streams and memory. */
#ifndef CUSHIM_TESTS_CHECK_ORDER_OBJECTS_H
#define CUSHIM_TESTS_CHECK_ORDER_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>

#include <cushim/table.h>

enum { ORDER_BYTES = 4096 };

extern const struct cushim_table
    *order_below;                 /* the driver below the layer; check sees none of its calls */
extern CUcontext order_context;   /* current */
extern CUstream order_streams[2]; /* non-blocking */
extern CUdeviceptr order_memory;  /* ORDER_BYTES of device memory */
extern char *order_host;          /* as many bytes of page-locked memory */

/* Create the objects; destroy them. */
void order_make(void);
void order_leave(void);

CUstream order_stream(unsigned flags);
CUevent order_event(unsigned flags);

/*
 * Two operations on the same memory that need an order: a memset on a stream, and a copy of it to
 * the host.
 */
void order_write(CUstream stream);
void order_read(CUstream stream);

/* Queue work that keeps a stream busy for a while. */
void order_spin(CUstream stream);

/* The same, with a launch that records an event. */
void order_spin_recording(CUstream stream, CUevent event);

/* Queue work that causes a sticky error. */
void order_fault(CUstream stream);

/* Wait for all work below the layer, so that check does not know of the wait. */
void order_drain_unseen(void);

/*
 * Small programs, one for each relation that orders operations. Each can run with the relation, so
 * that two uses of the same memory are ordered, and without it.
 */
struct order_edge {
    const char *name;
    void (*run)(bool is_ordered);
};

#define ORDER_EDGE(name) \
    {                    \
#name, name      \
    }

/* The relations that check follows, up to a NULL name. */
extern const struct order_edge order_edges[];

#endif
