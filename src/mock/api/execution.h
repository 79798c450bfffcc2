/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels that are executed: by src/mock/kernel, on the mock's memory, clock and log.
 *
 * The PTX of an image is translated when it is loaded. A launch is executed in parts, each of which
 * takes the virtual time that its instructions would: between two of them others work.
 */
#ifndef CUSHIM_MOCK_API_EXECUTION_H
#define CUSHIM_MOCK_API_EXECUTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

struct mock_code;
struct mock_context;
struct mock_execution;
struct mock_jit;
struct mock_launch_shape;
struct mock_module;
struct mock_parameters;
struct ptx_access;
struct ptx_error;
struct ptx_race;

/* Where the variables of a module are, for its kernels. Counted: the module and its launches. */
struct mock_variables {
    unsigned references;
    struct mock_code *code;
    size_t count;        /* of all that the program has */
    uint64_t *addresses; /* 0: it has no memory */
    bool *own;           /* the image does not declare it: it has memory of its own */
};

/*
 * Finish the program of an image that was read, unless kernels are not to be executed. INVALID_PTX,
 * written to the log of `jit`; OUT_OF_MEMORY.
 */
CUresult cushim__mock_code_link(struct mock_code *code, const struct mock_jit *jit);

/* Report what is wrong with PTX to the log of the options, as ptxas does, and to that of the mock. */
void cushim__mock_code_wrong(const struct mock_jit *jit, const struct ptx_error *error);

/*
 * Give all variables of the program memory and their initial values, once the module has those that
 * its image declares. Nothing happens if nothing is executed.
 */
CUresult cushim__mock_variables_create(struct mock_module *module);
struct mock_variables *cushim__mock_variables_retain(struct mock_variables *variables);
/*
 * The same for a launch: texture references stay unchanged, whatever is bound to them later.
 * NULL: out of memory.
 */
struct mock_variables *cushim__mock_variables_for_launch(struct mock_variables *variables,
                                                         struct mock_context *context);
void cushim__mock_variables_release(struct mock_variables *variables);

/* The module ends: free what is its own. */
void cushim__mock_variables_free(struct mock_variables *variables);

/*
 * The number of a kernel. NOT_SUPPORTED: it cannot be executed, and the log says why. NOT_FOUND:
 * there is no PTX of it.
 */
CUresult cushim__mock_execution_find(const struct mock_variables *variables, const char *name,
                                     size_t *kernel);

/* What is executed. The owner keeps it as long as the execution. */
struct mock_executed {
    struct mock_variables *variables;
    size_t kernel;
    struct mock_context *context;
    const struct mock_launch_shape *shape;
    const struct mock_parameters *parameters;
    uint64_t number; /* of the operation */
};

/* NULL: out of memory. */
struct mock_execution *cushim__mock_execution_create(const struct mock_executed *what);

/* Execute a part, and say how long it took. False: it was the last one. */
bool cushim__mock_execution_step(struct mock_execution *execution, uint64_t *duration_ns);

/* The end: what the kernel has printed is printed. Returns the sticky error that it ended with. */
CUresult cushim__mock_execution_end(struct mock_execution *execution);

/* NULL is a no-op. */
void cushim__mock_execution_destroy(struct mock_execution *execution);

/* What memory a kernel has used, for the race detector: accesses.c. */

/* Ranges of bytes that were used in one way. */
struct mock_accesses {
    struct mock_access {
        uint64_t start, end;
    } * ranges;
    size_t count, room;
    bool incomplete; /* there are too many, or no memory for them */
};

enum { MOCK_ACCESS_USES = 3 }; /* of enum ptx_use */

void cushim__mock_accesses_add(struct mock_accesses *accesses, uint64_t address, uint64_t bytes);

/* Report to the race detector all that an operation has used, by how. */
void cushim__mock_accesses_report(struct mock_accesses accesses[MOCK_ACCESS_USES], uint64_t number);

/* Report that two threads of a kernel race. */
void cushim__mock_thread_race_report(const struct ptx_race *race, uint64_t number);

#endif
