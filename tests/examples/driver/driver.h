/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small simulated driver, as a shared library: enough of CUDA 11.2 to run the examples and the
 * cases of tests/gpu where no GPU is.
 *
 * Device memory is the host's. Every stream has a thread of its own that executes its work in
 * order, so "pending" is real. Time is not: each stream counts nanoseconds by what its work would
 * cost (memory.c), and goes on from the host's time or from the event that it waited for, so that
 * elapsed times come out the same at every run. Interprocess events live in shared memory.
 *
 * What is not here is not exported. Misuse that crashes the real driver (a handle used after it was
 * destroyed) ends the program with a message, and a program that exits with a handle or an
 * allocation left ends with status 99 and says which.
 *
 * One lock guards everything; `driver_changed` tells of every change.
 */
#ifndef CUSHIM_TESTS_EXAMPLES_DRIVER_H
#define CUSHIM_TESTS_EXAMPLES_DRIVER_H

/* Every function under the name that it is exported by. */
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DRIVER_VERSION = 11020, DRIVER_LEFT_STATUS = 99 };

extern pthread_mutex_t driver_lock;
extern pthread_cond_t driver_changed;

enum driver_kind { DRIVER_CONTEXT = 0x43545831, DRIVER_STREAM, DRIVER_EVENT };

/* How it stands with a handle: in use, gone with its context, or destroyed by the program. */
enum driver_life { DRIVER_ALIVE, DRIVER_GONE, DRIVER_DESTROYED };

/* What every handle points to. It stays until the process ends, so that misuse is seen. */
struct driver_object {
    struct driver_object *next;
    enum driver_kind kind;
    enum driver_life life;
    CUcontext context; /* NULL for a context */
};

struct CUctx_st {
    struct driver_object object;
    bool primary;
    unsigned flags;
};

/* One piece of work of a stream. `ready` and `finish` run under the lock, `run` without it. */
struct driver_work {
    struct driver_work *next;
    bool (*ready)(struct driver_work *work); /* NULL: at once */
    void (*run)(void *data);                 /* NULL: nothing */
    void (*finish)(struct driver_work *work);
    void *data; /* freed with the work */
    uint64_t not_before_ns;
    uint64_t cost_ns;
    uint64_t end_ns;
    struct driver_after *after; /* what the legacy default stream puts in order */
};

struct CUstream_st {
    struct driver_object object;
    unsigned flags;
    int priority;
    bool is_default;
    pthread_t owner; /* of a per-thread default stream */
    bool is_per_thread;
    bool has_thread;
    uint64_t submitted, completed;
    uint64_t time_ns;
    struct driver_work *first, **last;
};

/* Start a call: whether the process may call at all. */
CUresult driver_enter(void);

/* Add a handle to the list, or end the program when one is misused. */
void driver_add(struct driver_object *object, enum driver_kind kind, CUcontext context);
CUresult driver_check(struct driver_object *object, enum driver_kind kind);
struct driver_object *driver_objects(void);
_Noreturn void driver_violation(const char *what);

/* The calling thread's context, usable; set while it executes a host function. */
CUresult driver_current(CUcontext *context);
extern _Thread_local bool driver_in_host_function;

/* A stream by its handle; a default stream's means the current context's. And work for a stream. */
CUresult driver_stream(CUstream handle, CUstream *stream);
CUresult driver_submit(CUstream stream, const struct driver_work *work);
void driver_drain(CUstream stream);
bool driver_idle(CUstream stream);
bool driver_busy(CUstream stream); /* a default stream also with the work that it waits for */
bool driver_stop_streams(void);

/* The host's time: it has seen work end. */
void driver_host_saw(uint64_t end_ns);
uint64_t driver_host_time(void);

/* A context's children go with it. */
void driver_leave_context(CUcontext context);

/* What is left at the end, by the files that know. */
unsigned driver_memory_left(void);
void driver_events_unshare(void);

#endif
