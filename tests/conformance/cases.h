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
 * - A new file NAME_cases.c needs a line in meson.build. main.c has the minimum of a whole run.
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

#include "backend.h"
#include "begin.h"
#include "check.h"
#include "tests/support/structs.h"

/* The source of an expectation. */
enum conformance_class {
    DOCUMENTED, /* the CUDA 13.0 driver API reference */
    MEASURED,   /* a GPU's result, where the reference says something else or nothing */
    MOCK_ONLY,  /* the mock's own promise; not run on other drivers */
    CUSHIM,     /* what cushim's headers promise on any driver */
    CLASSES,
    PEERS = CLASSES /* no case, but a second process of one */
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

/* Add a case to the suite. */
void case_add(const struct conformance_case *row);

/*
 * CASE(024, gated_event_is_pending, members) { ... } with members of the struct, such as
 * .class = MEASURED. It runs at the place of its statement, and at the end if it is about cushim.
 */
#define CASE(statement, claim, ...)                                    \
    static void claim(void);                                           \
    __attribute__((constructor)) static void add_##claim(void)         \
    {                                                                  \
        static const struct conformance_case row = {                   \
            .name = #statement "_" #claim, .run = claim, __VA_ARGS__}; \
                                                                       \
        case_add(&row);                                                \
    }                                                                  \
    static void claim(void)

/* Cases with the usual members. */
#define DOCUMENTED_CASE(statement, claim) CASE(statement, claim, .class = DOCUMENTED)
#define MEASURED_CASE(statement, claim) CASE(statement, claim, .class = MEASURED)
#define CUSHIM_CASE(claim) CASE(cushim, claim, .class = CUSHIM)
/* A measurement that does not apply to a mock, or that needs hardware. */
#define GPU_CASE(statement, claim) CASE(statement, claim, .class = MEASURED, .only_on = ON_GPU)
/* A measurement on two devices, or a promise of cushim about them. */
#define TWO_DEVICES_CASE(statement, claim, of_class)                                           \
    CASE(statement, claim, .class = of_class, .may_skip = ON_GPU, .settings = "devices = 2\n", \
         .source = "two H200, 580.159.04")
/* A second process of cases: peer_start() or process_run() starts it as "peer_" and its name. */
#define PEER(name) CASE(peer, name, .class = PEERS)

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
