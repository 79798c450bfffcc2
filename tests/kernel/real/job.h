/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs: one kernel of one text, its memory, and what the host computes in the kernel's place.
 *
 * A case makes buffers, launches, and then does to its own copies of the buffers what the kernel
 * has done to the device's. What the device has is compared with them when the case returns.
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
    const char *second; /* another kernel that it launches, or NULL */
    CUresult faults;    /* what the launch ends with, and then every call */
};

/* --- for cases --- */

/*
 * Buffers, which are the kernel's next parameter. Numbers are random from `from` up to `to`, without
 * that; the same two make all numbers equal. Integers are below `limit`; 0: any, 1: all are zero.
 */
float *floats(struct job *job, size_t count, double from, double to);
double *doubles(struct job *job, size_t count, double from, double to);
uint8_t *bytes(struct job *job, size_t count, unsigned limit);
uint16_t *shorts(struct job *job, size_t count, unsigned limit);
uint32_t *words(struct job *job, size_t count, uint32_t limit);
uint64_t *longs(struct job *job, size_t count, uint64_t limit);
/* A buffer of other things, all zero. */
void *room(struct job *job, size_t bytes);

/* Further parameters. */
void number(struct job *job, int value);
void number_long(struct job *job, uint64_t value);
void number_float(struct job *job, float value);
void number_double(struct job *job, double value);
void structure(struct job *job, const void *value, size_t bytes);
void buffer(struct job *job, const void *made_before);

/* Set a variable of the module. */
void variable(struct job *job, const char *name, const void *value, size_t bytes);

/* How far a buffer of floats or doubles may be off; without this not at all. */
void tolerate(struct job *job, const void *buffer, double relative, double absolute);
/* Nobody looks at this buffer: what is in it depends on the order of threads. */
void ignore(struct job *job, const void *buffer);

/* Structs of at most 64 bytes, of which a compiler need not copy these: bit n is byte n. */
void ignore_padding(struct job *job, const void *buffer, size_t bytes, uint64_t padding);

/* Blocks and threads of one dimension; of more, with shared memory, or all at once. */
void launch(struct job *job, unsigned blocks, unsigned threads);
struct geometry {
    unsigned grid[3], block[3], shared;
    bool cooperative;
};
void launch_as(struct job *job, struct geometry geometry);

/* Go on with another kernel of the text, or the same again: its parameters follow. */
void next_kernel(struct job *job, const char *name);

uint64_t random_bits(struct job *job);

/* The case has failed, and this is why. */
void fail(struct job *job, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What a kernel prints goes to a file in between, on standard output (1) or error (2). */
void capture_begin(struct job *job, int descriptor);
const char *capture_end(struct job *job);

/* --- for who runs them --- */

struct outcome {
    bool present, well;
    char why[400];
    double launch_ns, host_ns;
};

/* `arrays`: a buffer is passed as numba has arrays. */
struct outcome job_run(const struct kernel_case *row, CUmodule module, bool arrays);

extern const struct cushim_table *cu;

#define CASE_TABLES(of)                                                               \
    of(bits_cases) of(graph_cases) of(grid_cases) of(language_cases) of(matrix_cases) \
        of(numeric_cases) of(reduce_cases) of(sort_cases) of(threads_cases)
#define DECLARE_TABLE(name) extern const struct kernel_case name[];
CASE_TABLES(DECLARE_TABLE)

#endif
