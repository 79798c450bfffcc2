/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The programs to compare: kernels whose operands follow from a seed and the kernel's name.
 *
 * Each kernel takes the addresses of its operands and results. A thread has one slot of 8 bytes for
 * each operand and each result.
 */
#ifndef CUSHIM_TESTS_KERNEL_DIFFERENTIAL_PROGRAM_H
#define CUSHIM_TESTS_KERNEL_DIFFERENTIAL_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MOST_SLOTS = 24, MOST_THREADS = 4096, BUFFER_BYTES = 8 * MOST_SLOTS * MOST_THREADS };

/* How results are compared: bit for bit, or as numbers of a type. */
enum accuracy {
    EXACT,
    NEAR_F32,
    NEAR_F64,
    NEAR_F16,
    NEAR_BF16,
    NEAR_F16X2,
    NEAR_BF16X2,
    ACCURACIES
};

struct kernel {
    char *name; /* the form, such as `add.rn.ftz.f32` */
    char entry[24];
    unsigned count, block; /* all threads, and threads of a block */
    enum accuracy accuracy;
    unsigned operand_count, result_count;
    unsigned operands[MOST_SLOTS];     /* kinds of operands, for operands_fill() */
    unsigned result_bytes[MOST_SLOTS]; /* 1, 2, 4 or 8 */
    const char *text;                  /* its PTX, without the directives of a module */
    size_t text_bytes;
    uint64_t text_digest;
};

struct programs {
    uint64_t seed, digest;
    size_t count;
    struct kernel *kernels;
    char *file;
};

/* The directives at the beginning of every module. */
extern const char module_head[];

/* Read a file of generate.py. On an error, ends the process with a message. */
struct programs *programs_read(const char *path);
void programs_free(struct programs *programs);

/* The text of a module with the kernels from `first` to `last - 1`; the caller frees it. */
char *module_text(const struct programs *programs, size_t first, size_t last);

/* operand.c: fill in the operands of all threads, `count * operand_count` slots. */
unsigned operand_kind(const char *name);
void operands_fill(const struct kernel *kernel, uint64_t seed, uint64_t *slots);

/* The size of a kernel's stored results, and their extraction from its slots. */
size_t results_bytes(const struct kernel *kernel);
void results_pack(const struct kernel *kernel, const uint64_t *slots, unsigned char *packed);

uint64_t digest_of(uint64_t start, const void *bytes, size_t count);
#define DIGEST_START UINT64_C(0xcbf29ce484222325)

void *must_allocate(size_t bytes);
char *read_file(const char *path, size_t *bytes);

#endif
