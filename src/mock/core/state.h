/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mock's state: the one mock of this process, its lock, and what all its files need.
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
#include "src/base/lock.h"
#include "src/layer/mock_interface.h"
#include "src/mock/config/settings.h"

struct cushim_mock;
struct mock_context;
struct mock_device;
struct mock_kernel_entry;
struct mock_sim;
struct mock_texture;
struct mock_thread;

/* The lines of findings, of which the first are kept. */
enum { MOCK_LINES_KEPT = 64, MOCK_LINE = 2048 };
struct mock_lines {
    size_t count;
    char line[MOCK_LINES_KEPT][MOCK_LINE];
};

struct cushim_mock {
    struct mock_settings settings;
    struct cushim__lock lock;
    bool initialised;
    bool knows_runtime;    /* the log says that the program uses NVIDIA's runtime */
    bool forked;           /* this process was forked after the mock was initialised */
    CUresult sticky_error; /* every call returns it, except those that effects.tsv exempts */
    uint64_t serial;       /* number among the mocks of this process */
    uint64_t calls;
    struct mock_device *devices; /* `settings.devices` of them */
    struct mock_thread *threads;
    size_t thread_count, thread_limit; /* at the limit, threads that have ended are forgotten */
    bool threads_stay;                 /* none is forgotten: the list is a forked parent's */
    struct mock_context *first_dead, *last_dead; /* destroyed contexts that keep their handles */
    size_t dead;
    struct mock_sim *sim;
    uint64_t clock_ns; /* the virtual clock */
    /* The end of the operation being executed, or else the clock; never later than the clock. */
    uint64_t executing_at_ns;
    struct mock_kernel_entry *kernels;
    struct mock_texture *first_ended, *last_ended; /* destroyed ones; see texture/texture.c */
    struct cushim_layer *layer; /* applies the settings' fault rules; NULL if there are none */
    const struct cushim_table *table; /* the layer's, if there is one, else the mock's own */
    const struct cushim_table *own;   /* always the mock's own */
    size_t allocations;
    uint64_t contexts_made, streams_made, threads_made; /* counters for ids */
    uint32_t memory_made, globals_made;                 /* counters for tags */
    unsigned callers;                                   /* threads that have made a call */

    bool logged[CUSHIM__SYMBOL_COUNT]; /* a call of the slot was logged */
    bool misses[MOCK_ATTRIBUTES_MAX];  /* the log says that the profile lacks the attribute */
    struct mock_lines misuses, races;
    char fault[MOCK_LINE]; /* the line of the kernel that has failed; empty if none has */
    cushim__mock_report *report;
    void (*log)(void *data, const char *line);
    void *log_data;
    void (*trace)(void *data, const struct cushim_mock_trace *entry);
    void *trace_data;
    const struct cushim_table *former;
    void (*put_back)(const struct cushim_table *former); /* NULL if the table is not installed */

    /* What a program gets for a slot: the table's function, or the drop-in library's export. */
    cushim_function (*symbol_source)(unsigned slot);
};

/* The mock. NULL if there is none; calls then return `cushim__mock_absent`. */
extern struct cushim_mock *cushim__mock;

/* The profile's value of a device attribute; 0 if it has none. */
static inline int cushim__mock_attribute(int number)
{
    return cushim__mock->settings.profile.attributes[number];
}

/* CUDA_ERROR_DEINITIALIZED, unless the drop-in library sets why there never was a mock. */
extern CUresult cushim__mock_absent;

/* Take and release the lock for programs and the layer, unless the thread already holds it. */
void cushim__mock_lock(struct cushim_mock *mock);
void cushim__mock_unlock(struct cushim_mock *mock);

/* Write a line to the log. */
__attribute__((format(__printf__, 1, 2))) void cushim__mock_log(const char *format, ...);

/*
 * Report what the current call does wrong, as only the mock can know: keep the line as a misuse,
 * log it unless check prints it, and abort if the settings say so.
 */
__attribute__((format(__printf__, 2, 3))) void cushim__mock_misuse(enum cushim__mock_found found,
                                                                   const char *format, ...);

/* The same for a race, which is a misuse only if the settings say so. */
void cushim__mock_race(const struct cushim__mock_finding *race);

/* Log how a kernel has failed, and keep the line. */
__attribute__((format(__printf__, 1, 2))) void cushim__mock_kernel_failed(const char *format, ...);

/* Add an entry to the trace. */
void cushim__mock_trace(const char *what, const char *name, uint64_t stream, uint64_t operation,
                        CUresult code);

/* The driver call that a thread is in. */

struct mock_call {
    struct cushim_mock *mock; /* NULL if the thread is in no call, or there is no mock */
    unsigned slot;
    /*
     * What the call returns unless its arguments are wrong; CUDA_SUCCESS if it is not refused. What
     * looks for an object or the current context returns it, so that the call does nothing.
     */
    CUresult refusal;
    /*
     * Whether a NULL stream is the per-thread default stream. The wrappers of `_ptsz` and `_ptds`
     * symbols set it around the function that they share with their legacy twin.
     */
    bool per_thread;
    uint64_t serial;       /* of the mock that numbered the thread */
    uint64_t number;       /* of the call, within the mock */
    unsigned thread;       /* number in order of first calls, from 1 */
    bool in_host_function; /* the thread executes a host function of the program */
    /*
     * The mock whose lock this thread holds for a fork, or NULL. Fork handlers that run after the
     * mock's may call the driver, as that of a loader does to ask whether it is initialised.
     */
    struct cushim_mock *held_for_fork;
};
extern _Thread_local struct mock_call cushim__mock_call;

/*
 * Get the number and the thread of the current call, as the layer counts them if there is one, and
 * where the program made it. This walks the stack, which takes time.
 */
void cushim__mock_call_place(struct cushim__call_place *place);

/* The exported name of the current call's function, or "". */
const char *cushim__mock_call_name(void);

/*
 * A hint for a misuse that may be a call with an older ABI of the function; it names the drivers
 * that have that ABI. Some programs call NAME_v2 whenever a driver exports it, whatever its ABI.
 * Empty if all drivers that the mock can simulate have one ABI of it. Valid until the thread's next
 * call.
 */
const char *cushim__mock_call_doubt(void);

#endif
