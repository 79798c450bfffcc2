/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cases: the behaviour of any driver, whether it is a mock or drives a GPU, and the behaviour of
 * cushim's modules and layers on it.
 *
 * How to read and extend the suite:
 *
 * - docs/driver-semantics.md numbers the statements. The name of a case about a statement begins
 *   with its number, in three digits, and continues with a claim: 024_gated_event_is_pending. One
 *   statement may have several cases. Every number up to the highest needs a case, or each run
 *   fails; suite_test.py compares them with the document.
 * - The name of a case about cushim begins with the module, such as cushim_event_. It tests the
 *   module together with the driver. It does not repeat what the cases of statements test, and
 *   what a module does with a driver's result is tested without a driver, in tests/modules.
 * - Each file NAME_cases.c has a table NAME_cases, which is named below. A new file needs a line
 *   here and in meson.build. main.c has the minimum of a whole run.
 * - A case is a function without arguments. It runs in a process of its own, with the driver open
 *   (`cu` of backend.h is its table) and no call made yet. It calls the driver through the table,
 *   asserts with check.h, and returns. It need not destroy its objects.
 * - CODE() and similar macros count as assertions, and the case continues after a failure. MUST()
 *   is for preparations; its failure ends the case.
 * - No case depends on a sleep: a gate (tests/support/gate.h, a host function) or a latch (begin.h,
 *   a wait for a word of memory) blocks work until the test opens it. A blocking host function
 *   blocks all other host functions of its context; use latches then.
 * - Expected results come from the CUDA reference or from a measurement on a GPU, never from the
 *   mock's behaviour: `class` says which.
 * - A case may be skipped only on the kinds of driver in the `may_skip` of its row.
 */
#ifndef CUSHIM_TESTS_CONFORMANCE_CASES_H
#define CUSHIM_TESTS_CONFORMANCE_CASES_H

#include <stdbool.h>

#include <cuda.h>

/* The source of an expectation. */
enum conformance_class {
    DOCUMENTED, /* the CUDA 13.0 driver API reference */
    MEASURED,   /* a GPU's result, where the reference says something else or nothing */
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
    unsigned only_on;        /* kinds of driver; 0: all. Implied by MOCK_ONLY */
    unsigned may_skip;       /* kinds of driver */
    const char *settings;    /* of the mock for this case: lines of `key = value` */
    const char *environment; /* of the process: one NAME=VALUE */
    const char *source;      /* of the measurement; NULL: MEASURED_ON */
};

#define MEASURED_ON "H200, 580.159.04"

/* Rows with the usual members. */
#define DOCUMENTED_CASE(title, function)                    \
    {                                                       \
        .name = title, .run = function, .class = DOCUMENTED \
    }
#define MEASURED_CASE(title, function)                    \
    {                                                     \
        .name = title, .run = function, .class = MEASURED \
    }
/* A measurement that does not apply to a mock, or that needs hardware. */
#define GPU_CASE(title, function)                                            \
    {                                                                        \
        .name = title, .run = function, .class = MEASURED, .only_on = ON_GPU \
    }
/* A measurement on two devices, or a promise of cushim about them. */
#define TWO_DEVICES_CASE(title, function, of_class)                            \
    {                                                                          \
        .name = title, .run = function, .class = of_class, .may_skip = ON_GPU, \
        .settings = "devices = 2\n", .source = "two H200, 580.159.04"          \
    }
#define CUSHIM_CASE(title, function)                    \
    {                                                   \
        .name = title, .run = function, .class = CUSHIM \
    }

/*
 * Second processes of cases, by name. peer_start() or process_run() starts them; --list omits them.
 */
struct peer_row {
    const char *name;
    void (*run)(void);
};

/* The tables of cases and of peers; a row without a name ends each. */
#define FOR_EACH_CASE_TABLE(X) \
    X(init_cases)              \
    X(fork_cases)              \
    X(state_cases)             \
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
    X(virtual_cases)           \
    X(share_cases)             \
    X(copy_cases)              \
    X(copy_batch_cases)        \
    X(copy_shape_cases)        \
    X(graph_cases)             \
    X(conditional_cases)       \
    X(graph_edge_cases)        \
    X(graph_launch_cases)      \
    X(graph_memory_cases)      \
    X(user_object_cases)       \
    X(module_cases)            \
    X(output_cases)            \
    X(launch_cases)            \
    X(cluster_cases)           \
    X(tensor_map_cases)        \
    X(mipmap_cases)            \
    X(green_cases)             \
    X(external_cases)          \
    X(library_cases)           \
    X(cushim_context_cases)    \
    X(cushim_stream_cases)     \
    X(cushim_event_cases)      \
    X(cushim_event_time_cases) \
    X(cushim_layer_cases)
#define FOR_EACH_PEER_TABLE(X) \
    X(ipc_peers) X(undefined_peers) X(cushim_context_peers) X(cushim_event_peers) X(share_peers)

#define DECLARE_CASES(table) extern const struct conformance_case table[];
#define DECLARE_PEERS(table) extern const struct peer_row table[];
FOR_EACH_CASE_TABLE(DECLARE_CASES)
FOR_EACH_PEER_TABLE(DECLARE_PEERS)

/*
 * What calls return in a state that refuses them, with wrong arguments, then with right ones, and
 * with wrong ones that the driver does not look at. Any thread may ask, the case's own checks.
 */
struct arguments {
    CUresult stream_flags, managed_flags, managed_bytes, node, object, elapsed, destroy;
    CUresult stream, managed;
    CUresult event_flags;
};

void arguments_ask(struct arguments *answers);
void arguments_check(const struct arguments *answers, CUresult refusal);

#endif
