/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cases: what any driver answers, whether it is a mock or drives a GPU, and what cushim's modules
 * and layers do on it.
 *
 * How to read and extend the suite:
 *
 *   - docs/driver-semantics.md numbers the statements. The name of a case about one begins with its
 *     number, in three digits, and goes on with a claim: 024_gated_event_is_pending. One statement
 *     may have several cases; every number up to the highest has one, or no run passes, and
 *     suite_test.py compares them with the document.
 *   - The name of a case about cushim begins with the module, as cushim_event_. What a statement's
 *     case asks of the driver it does not ask again, and what the module does with a driver's
 *     answer is tested without one, in tests/modules: it is about both together.
 *   - Each file NAME_cases.c has a table NAME_cases, named below. A new file needs a line here and
 *     in meson.build; main.c says how much a whole run must do at least.
 *   - A case is a function without arguments. It runs in a process of its own, with the driver open
 *     (`cu` of backend.h is its table) and nothing called yet. It calls the driver through the
 *     table, asserts with check.h, and returns; it need not tidy up.
 *   - CODE() and its like count as assertions and let the case go on; MUST() is for what a case
 *     only prepares, and ends it.
 *   - Nothing sleeps to be in time: work is held up by a gate (tests/support/gate.h, a host
 *     function) or a latch (begin.h, a wait for a word of memory) until the test opens it. One
 *     blocking host function holds up all others of its context: use latches beside it.
 *   - What is expected is what the CUDA reference says or what was measured on a GPU, never what
 *     the mock does: `class` says which.
 *   - A case may only be skipped on the kinds of driver that its row names in `may_skip`.
 */
#ifndef CUSHIM_TESTS_CONFORMANCE_CASES_H
#define CUSHIM_TESTS_CONFORMANCE_CASES_H

#include <stdbool.h>

/* Where an expectation comes from. */
enum conformance_class {
    DOCUMENTED, /* the CUDA 13.0 driver API reference */
    MEASURED,   /* a GPU's answer, where the reference says something else or nothing */
    MOCK_ONLY,  /* the mock's own promise; not run on other drivers */
    CUSHIM,     /* what cushim's headers promise on any driver */
    CLASSES
};

/* Kinds of driver, as a mask. */
enum { ON_GPU = 1, ON_MOCK = 2 };

struct conformance_case {
    const char *name;
    void (*run)(void);
    enum conformance_class class;
    unsigned only_on;        /* kinds of driver; 0: all. MOCK_ONLY says so by itself */
    unsigned may_skip;       /* kinds of driver */
    const char *settings;    /* of the mock for this case: lines of `key = value` */
    const char *environment; /* of the process: one NAME=VALUE */
    const char *source;      /* of a measurement; NULL: MEASURED_ON */
};

#define MEASURED_ON "H200, 580.159.04"

/* Rows without special wishes. */
#define DOCUMENTED_CASE(title, function)                    \
    {                                                       \
        .name = title, .run = function, .class = DOCUMENTED \
    }
#define MEASURED_CASE(title, function)                    \
    {                                                     \
        .name = title, .run = function, .class = MEASURED \
    }
/* A measurement that means nothing to a mock, or of what it does not have. */
#define GPU_CASE(title, function)                                            \
    {                                                                        \
        .name = title, .run = function, .class = MEASURED, .only_on = ON_GPU \
    }
/* A measurement on two devices, or what cushim promises of them. */
#define TWO_DEVICES_CASE(title, function, of_class)                            \
    {                                                                          \
        .name = title, .run = function, .class = of_class, .may_skip = ON_GPU, \
        .settings = "devices = 2\n", .source = "two H200, 580.159.04"          \
    }
#define CUSHIM_CASE(title, function)                    \
    {                                                   \
        .name = title, .run = function, .class = CUSHIM \
    }

/* Second processes of cases, by name: started by peer_start() or process_run(), not listed. */
struct peer_row {
    const char *name;
    void (*run)(void);
};

/* The tables of cases and of peers; each ends with a row without a name. */
#define FOR_EACH_CASE_TABLE(X) \
    X(init_cases)              \
    X(fork_cases)              \
    X(context_cases)           \
    X(device_cases)            \
    X(event_cases)             \
    X(event_state_cases)       \
    X(elapsed_cases)           \
    X(stream_cases)            \
    X(stream_work_cases)       \
    X(capture_cases)           \
    X(capture_rule_cases)      \
    X(capture_edge_cases)      \
    X(capture_unsafe_cases)    \
    X(ipc_cases)               \
    X(undefined_cases)         \
    X(memory_cases)            \
    X(memory_edge_cases)       \
    X(host_memory_cases)       \
    X(pool_cases)              \
    X(copy_cases)              \
    X(copy_shape_cases)        \
    X(graph_cases)             \
    X(graph_edge_cases)        \
    X(graph_launch_cases)      \
    X(module_cases)            \
    X(launch_cases)            \
    X(library_cases)           \
    X(cushim_context_cases)    \
    X(cushim_stream_cases)     \
    X(cushim_event_cases)      \
    X(cushim_event_time_cases) \
    X(cushim_layer_cases)
#define FOR_EACH_PEER_TABLE(X) \
    X(ipc_peers) X(undefined_peers) X(cushim_context_peers) X(cushim_event_peers)

#define DECLARE_CASES(table) extern const struct conformance_case table[];
#define DECLARE_PEERS(table) extern const struct peer_row table[];
FOR_EACH_CASE_TABLE(DECLARE_CASES)
FOR_EACH_PEER_TABLE(DECLARE_PEERS)

#endif
