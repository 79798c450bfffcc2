/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs: one kernel of one text, its memory, and the same computation on the host.
 *
 * A case makes buffers, launches the kernel, and then does the kernel's work on its own copies of
 * the buffers. When the case returns, the device's buffers are compared with them.
 */
#ifndef CUSHIM_TESTS_KERNEL_REAL_JOB_H
#define CUSHIM_TESTS_KERNEL_REAL_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cushim/driver.h>

struct job;

struct kernel_case {
    const char *kernel;
    void (*run)(struct job *job);
    const char *second; /* another kernel that the case launches, or NULL */
    CUresult faults;    /* the code of the launch, and of every later call */
};

/* --- for cases --- */

/*
 * Make a buffer, which becomes the kernel's next parameter. Random floats are at least `from` and
 * less than `to`; if both are equal, all numbers are. Integers are less than `limit`; 0: any value,
 * 1: all are zero.
 */
float *floats(struct job *job, size_t count, double from, double to);
double *doubles(struct job *job, size_t count, double from, double to);
uint8_t *bytes(struct job *job, size_t count, unsigned limit);
uint16_t *shorts(struct job *job, size_t count, unsigned limit);
uint32_t *words(struct job *job, size_t count, uint32_t limit);
uint64_t *longs(struct job *job, size_t count, uint64_t limit);
/* A buffer of other data, all zero. */
void *room(struct job *job, size_t bytes);

/* Add further parameters. */
void number(struct job *job, int value);
void number_long(struct job *job, uint64_t value);
void number_float(struct job *job, float value);
void number_double(struct job *job, double value);
void structure(struct job *job, const void *value, size_t bytes);
void buffer(struct job *job, const void *made_before);

/* Set a variable of the module. */
void variable(struct job *job, const char *name, const void *value, size_t bytes);

/* The permitted error of a buffer of floats or doubles; the default is none. */
void tolerate(struct job *job, const void *buffer, double relative, double absolute);
/* Do not compare this buffer, because its contents depend on the order of threads. */
void ignore(struct job *job, const void *buffer);

/* Structs of at most 64 bytes, whose padding a compiler need not copy: bit n is byte n. */
void ignore_padding(struct job *job, const void *buffer, size_t bytes, uint64_t padding);

/*
 * Launch blocks and threads of one dimension; launch_as() has more dimensions, shared memory and
 * cooperative launches.
 */
void launch(struct job *job, unsigned blocks, unsigned threads);
struct geometry {
    unsigned grid[3], block[3], shared;
    bool cooperative;
};
void launch_as(struct job *job, struct geometry geometry);

/* Continue with another kernel of the text, or with the same one; its parameters follow. */
void next_kernel(struct job *job, const char *name);

uint64_t random_bits(struct job *job);

/* Mark the case as failed, with the reason. */
void fail(struct job *job, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Redirect the output of a kernel on standard output (1) or error (2) to a file. */
void capture_begin(struct job *job, int descriptor);
const char *capture_end(struct job *job);

/* --- for main.c --- */

struct outcome {
    bool present, well;
    char why[400];
    double launch_ns, host_ns;
};

/* Run a case; with `arrays`, buffers are passed as numba's arrays. */
struct outcome job_run(const struct kernel_case *row, CUmodule module, bool arrays);

extern const struct cushim_table *cu;

#define CASE_TABLES(of)                                                               \
    of(bits_cases) of(graph_cases) of(grid_cases) of(language_cases) of(matrix_cases) \
        of(numeric_cases) of(reduce_cases) of(sort_cases) of(threads_cases)
#define DECLARE_TABLE(name) extern const struct kernel_case name[];
CASE_TABLES(DECLARE_TABLE)

#endif
