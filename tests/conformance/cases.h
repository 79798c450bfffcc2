/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cases: what any driver answers, whether it is a mock or drives a GPU.
 *
 * How to read and extend the suite:
 *
 *   - docs/driver-semantics.md numbers the statements. A case's name begins with the number of the
 *     one that it checks, in three digits, and goes on with a claim: 024_gated_event_is_pending.
 *     One statement may have several cases; every number up to the highest has one, or no run
 *     passes, and statements_test.py compares them with the document.
 *   - Each file NOUN_cases.c has a table NOUN_cases, named below and in groups.c. A new file needs
 *     a line in both and in meson.build; tally.c says how much a whole run must do at least.
 *   - A case is a function without arguments. It runs in a process of its own, with the driver open
 *     (`cu` of backend.h is its table) and nothing called yet. It calls the driver through the
 *     table, asserts with check.h, and returns; it need not tidy up.
 *   - CODE() and its like count as assertions and let the case go on; MUST() is for what a case
 *     only prepares, and ends it.
 *   - Nothing sleeps to be in time: work is held up by a gate (tests/support/gate.h, a host
 *     function) or a latch (latch.h, a wait for a word of memory) until the test opens it. One
 *     blocking host function holds up all others of its context: use latches beside it.
 *   - What is expected is what the CUDA reference says or what was measured on a GPU, never what
 *     the mock does: `class` says which.
 *   - A case may only be skipped on the kinds of driver that its row names in `may_skip`.
 */
#ifndef CUSHIM_TESTS_CONFORMANCE_CASES_H
#define CUSHIM_TESTS_CONFORMANCE_CASES_H

#include <stdbool.h>

/* Statements are numbered below this, from 1 without a gap. */
enum { STATEMENTS_END = 1000 };

/* Where an expectation comes from. */
enum conformance_class {
    DOCUMENTED, /* the CUDA 13.0 driver API reference */
    MEASURED,   /* a GPU's answer, where the reference says something else or nothing */
    MOCK_ONLY,  /* the mock's own promise; not run on other drivers */
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

/* Each ends with a row without a name. */
extern const struct conformance_case init_cases[];
extern const struct conformance_case fork_cases[];
extern const struct conformance_case proc_address_cases[];
extern const struct conformance_case primary_cases[];
extern const struct conformance_case context_cases[];
extern const struct conformance_case context_end_cases[];
extern const struct conformance_case event_create_cases[];
extern const struct conformance_case event_list_cases[];
extern const struct conformance_case event_state_cases[];
extern const struct conformance_case event_context_cases[];
extern const struct conformance_case event_wait_cases[];
extern const struct conformance_case fault_cases[];
extern const struct conformance_case elapsed_cases[];
extern const struct conformance_case elapsed_function_cases[];
extern const struct conformance_case stream_cases[];
extern const struct conformance_case stream_order_cases[];
extern const struct conformance_case stream_memory_cases[];
extern const struct conformance_case host_function_cases[];
extern const struct conformance_case capture_cases[];
extern const struct conformance_case capture_rule_cases[];
extern const struct conformance_case capture_fork_cases[];
extern const struct conformance_case capture_spoilt_cases[];
extern const struct conformance_case ipc_cases[];
extern const struct conformance_case undefined_cases[];
extern const struct conformance_case cost_cases[];
extern const struct conformance_case device_cases[];
extern const struct conformance_case module_cases[];
extern const struct conformance_case kernel_cases[];
extern const struct conformance_case launch_cases[];
extern const struct conformance_case library_cases[];
extern const struct conformance_case memory_cases[];
extern const struct conformance_case managed_cases[];
extern const struct conformance_case host_memory_cases[];
extern const struct conformance_case pointer_cases[];
extern const struct conformance_case copy_cases[];
extern const struct conformance_case copy_order_cases[];
extern const struct conformance_case copy_shape_cases[];
extern const struct conformance_case set_cases[];
extern const struct conformance_case allocate_async_cases[];
extern const struct conformance_case pool_cases[];
extern const struct conformance_case ipc_memory_cases[];
extern const struct conformance_case memory_capture_cases[];
extern const struct conformance_case graph_cases[];
extern const struct conformance_case graph_launch_cases[];
extern const struct conformance_case graph_capture_cases[];
extern const struct conformance_case graph_update_cases[];
extern const struct conformance_case capture_edge_cases[];
extern const struct conformance_case graph_edge_cases[];
extern const struct conformance_case graph_wrong_cases[];
extern const struct conformance_case memory_edge_cases[];
extern const struct conformance_case context_edge_cases[];
extern const struct conformance_case module_edge_cases[];

/* All of them; ends with NULL. */
extern const struct conformance_case *const groups[];

/* Second processes of cases, by name: started by peer_start() or process_run(), not listed. */
struct peer_row {
    const char *name;
    void (*run)(void);
};
extern const struct peer_row ipc_peers[];
extern const struct peer_row ipc_memory_peers[];
extern const struct peer_row undefined_peers[];

/* The statement of a case, and whether it is run on a kind of driver. */
unsigned case_statement(const struct conformance_case *row);
bool case_applies(const struct conformance_case *row, unsigned kind);

/* Run a case or a peer in this process; does not return. */
_Noreturn void case_run(const char *name);

#endif
