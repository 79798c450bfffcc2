/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs: one kernel of one text, its parameters and its memory.
 *
 * A row lists the kernel's parameters, or has a function that makes them and launches the kernel.
 * The contents of all buffers are then compared with those of an H200, by their digest. Where they
 * depend on approximations or on the order of threads, the function also does the kernel's work on
 * its own copies of the buffers, with which the device's are compared. So do a few functions of
 * exact kernels.
 */
#ifndef CUSHIM_TESTS_KERNEL_REAL_JOB_H
#define CUSHIM_TESTS_KERNEL_REAL_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cushim/driver.h>

struct job;

enum kind { NOTHING, BYTES, SHORTS, WORDS, LONGS, FLOATS, DOUBLES, INT, LONG, FLOAT, DOUBLE };

/* A parameter: a buffer, as the functions below make it, or a number. */
struct argument {
    enum kind kind;
    size_t count;      /* of a buffer */
    uint64_t whole;    /* the limit of a buffer of integers, or an integer */
    double real, less; /* the bounds of a buffer of floats, or a float */
};

struct geometry {
    unsigned grid[3], block[3], shared;
    bool cooperative;
};

struct kernel_case {
    const char *kernel;
    struct argument arguments[8];
    struct geometry at;
    void (*run)(struct job *job); /* instead of arguments and geometry */
    bool computed;                /* the function has computed what the buffers must contain */
    const char *second;           /* another kernel that the case launches, or NULL */
    CUresult faults;              /* the code of the launch, and of every later call */
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

/* The permitted error of a computed buffer of floats or doubles; the default is none. */
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
    uint64_t digest; /* of all buffers; 0: the case has computed what they must contain */
};

/* Run a case; with `arrays`, buffers are passed as numba's arrays. */
struct outcome job_run(const struct kernel_case *row, CUmodule module, bool arrays);

extern const struct cushim_table *cu;

#define CASE_TABLES(of) of(plain_cases) of(prepared_cases) of(computed_cases)
#define DECLARE_TABLE(name) extern const struct kernel_case name[];
CASE_TABLES(DECLARE_TABLE)

#endif
