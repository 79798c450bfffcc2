/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mock's state: the one mock of this process, its lock and what everybody needs of it.
 *
 * All of src/mock runs under the lock, and so do the caller's `run`, `log` and `trace` functions;
 * host functions and callbacks are called without it.
 */
#ifndef CUSHIM_MOCK_CORE_STATE_H
#define CUSHIM_MOCK_CORE_STATE_H

#include <stdbool.h>

#include <cushim/testing/mock.h>

#include "loader/symbols.h"
#include "src/base/call_site.h"
#include "src/base/layer_host.h"
#include "src/base/lock.h"
#include "src/driver_api/check_rules.h"
#include "src/mock/config/settings.h"

struct cushim_mock;
struct mock_context;
struct mock_device;
struct mock_kernel_entry;
struct mock_sim;
struct mock_texture;
struct mock_thread;

enum { MOCK_MISUSES_KEPT = 64, MOCK_MISUSE_TEXT = 1200 };

struct cushim_mock {
    struct mock_settings settings;
    struct cushim__lock lock;
    bool initialised;
    bool knows_runtime;    /* the log says that the program uses NVIDIA's runtime */
    bool forked;           /* this is the child of the process that made the mock */
    CUresult sticky_error; /* every call returns it, except those that call_rules.tsv exempts */
    uint64_t serial;       /* of mocks in this process */
    uint64_t calls;
    struct mock_device *devices; /* `settings.devices` of them */
    struct mock_thread *threads;
    size_t thread_count, thread_limit; /* with so many, those that have ended are looked for */
    bool threads_stay;                 /* they are not looked for: the list is a parent's */
    struct mock_context *first_dead, *last_dead; /* that were destroyed and keep their handles */
    size_t dead;
    struct mock_sim *sim;
    uint64_t clock_ns; /* the virtual clock */
    /* When the operation that is being executed ends; otherwise the clock. Never later than it. */
    uint64_t executing_at_ns;
    struct mock_kernel_entry *kernels;
    struct mock_texture *first_ended, *last_ended; /* destroyed: see api/texture.c */
    struct cushim_layer *layer; /* that the rules of its settings are of; NULL: there are none */
    const struct cushim_table *table; /* the layer's, if there is one, else the mock's own */
    const struct cushim_table *own;   /* the mock's own in any case */
    size_t allocations;
    uint64_t contexts_made, streams_made, threads_made; /* what ids count */
    uint32_t memory_made, globals_made;                 /* what tags count */
    unsigned callers;                                   /* threads that have called */

    bool logged[CUSHIM__SYMBOL_COUNT]; /* the log has a line on a call of the slot */
    bool misses[MOCK_ATTRIBUTES_MAX];  /* the log says that the profile lacks this attribute */
    size_t misuses;
    char misuse[MOCK_MISUSES_KEPT][MOCK_MISUSE_TEXT];
    void (*log)(void *data, const char *line);
    void *log_data;
    void (*trace)(void *data, const struct cushim_mock_trace *entry);
    void *trace_data;
    const struct cushim_table *former;
    void (*put_back)(const struct cushim_table *former); /* NULL: the table is not installed */
};

/* The mock; NULL: there is none. Calls then return `cushim__mock_absent`. */
extern struct cushim_mock *cushim__mock;

/* What the profile says of a device attribute; 0: nothing. */
static inline int cushim__mock_attribute(int number)
{
    return cushim__mock->settings.profile.attributes[number];
}

/* CUDA_ERROR_DEINITIALIZED, unless the library says why there never was a mock. */
extern CUresult cushim__mock_absent;

/* The lock, for what programs and the layer ask of the mock, also where the thread has it already. */
void cushim__mock_lock(struct cushim_mock *mock);
void cushim__mock_unlock(struct cushim_mock *mock);

/* Write a line to the log. */
__attribute__((format(__printf__, 1, 2))) void cushim__mock_log(const char *format, ...);

/*
 * Note undefined behaviour of the program: log it, keep it, abort if so set. The name of the
 * function under way stands before the text, and where it was called behind it.
 */
__attribute__((format(__printf__, 2, 3))) void cushim__mock_misuse(enum cushim__check_id id,
                                                                   const char *format, ...);

/* The same of a line that says itself where. */
void cushim__mock_misuse_line(const char *line);

/* Add an entry to the trace. */
void cushim__mock_trace(const char *what, const char *name, uint64_t stream, uint64_t operation,
                        CUresult code);

/* The call of the driver that is under way on a thread. */

struct mock_call {
    struct cushim_mock *mock; /* NULL: no call is under way, or there is no mock */
    unsigned slot;
    bool too_early; /* cuInit was not called: only what is wrong with the arguments counts */
    /*
     * Whether NULL means the per-thread default stream: set by the wrappers of `_ptsz` and `_ptds`
     * symbols around the function that they share with their twin.
     */
    bool per_thread;
    uint64_t serial;       /* of the mock that has given the thread its number */
    uint64_t number;       /* of the call, in this mock */
    unsigned thread;       /* by their first calls, from 1 */
    bool in_host_function; /* the thread executes a host function of the program */
    /*
     * The mock whose lock this thread has taken for a fork; NULL: none. Handlers for the fork that
     * come after the mock's may call the driver, as a loader's does that asks whether it is
     * initialised.
     */
    struct cushim_mock *held_for_fork;
};
extern _Thread_local struct mock_call cushim__mock_call;

/*
 * Which call it is, as the layer counts if there is one, and where the program has made it. Takes
 * the time that the stack is walked in.
 */
void cushim__mock_call_place(struct cushim__call_place *place);

/* The exported name of the function under way, or "". */
const char *cushim__mock_call_name(void);

/*
 * What to add to a misuse that the call of an older ABI of the function would look like: which
 * driver has that one. Some programs call NAME_v2 wherever a driver has one, whatever it is. Empty:
 * there was no other ABI in the drivers that the mock can be. Valid until the thread's next call.
 */
const char *cushim__mock_call_doubt(void);

#endif
