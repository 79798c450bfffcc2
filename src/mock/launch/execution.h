/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The execution of kernels by src/ptx, with the mock's memory, clock and log.
 *
 * A launch is executed in parts, each of which takes the virtual time that its instructions would.
 * Between two parts, other operations may execute and other threads may take the lock.
 */
#ifndef CUSHIM_MOCK_LAUNCH_EXECUTION_H
#define CUSHIM_MOCK_LAUNCH_EXECUTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

struct mock_context;
struct mock_execution;
struct mock_launch_shape;
struct mock_parameters;
struct mock_variables;
struct ptx_access;
struct ptx_race;

/*
 * Find the number of a kernel. Returns NOT_SUPPORTED if it cannot be executed, which the log
 * explains, or NOT_FOUND if there is no PTX of it.
 */
CUresult cushim__mock_execution_find(const struct mock_variables *variables, const char *name,
                                     size_t *kernel);

/* What is executed. The owner keeps it alive as long as the execution. */
struct mock_executed {
    struct mock_variables *variables;
    size_t kernel;
    struct mock_context *context;
    const struct mock_launch_shape *shape;
    const struct mock_parameters *parameters;
    uint64_t number; /* the operation's number */
};

/* Returns NULL if memory runs out. */
struct mock_execution *cushim__mock_execution_create(const struct mock_executed *what);

/* Execute a part, and report how long it took. Returns false if it was the last one. */
bool cushim__mock_execution_step(struct mock_execution *execution, uint64_t *duration_ns);

/* Flush the kernel's output at its end. Returns the sticky error that the kernel ended with. */
CUresult cushim__mock_execution_end(struct mock_execution *execution);

/* NULL is a no-op. */
void cushim__mock_execution_destroy(struct mock_execution *execution);

/* The memory that a kernel has used, for the race detector (accesses.c). */

/* Ranges of bytes that were used in one way. */
struct mock_accesses {
    struct mock_access {
        uint64_t start, end;
    } * ranges;
    size_t count, room;
    bool incomplete; /* some are missing: too many, or no memory for them */
};

enum { MOCK_ACCESS_USES = 3 }; /* of enum ptx_use */

void cushim__mock_accesses_add(struct mock_accesses *accesses, uint64_t address, uint64_t bytes);

/* Report to the race detector all memory that an operation has used, by the kind of use. */
void cushim__mock_accesses_report(struct mock_accesses accesses[MOCK_ACCESS_USES], uint64_t number);

/* Report that two threads of a kernel race. */
void cushim__mock_thread_race_report(const struct ptx_race *race, uint64_t number);

#endif
