/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The programs that are compared: kernels with operands that follow from a seed and their name.
 *
 * Each kernel takes the addresses of its operands and of its results. A thread has one slot of 8
 * bytes for each operand and each result.
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
    char *name; /* of the form: `add.rn.ftz.f32` */
    char entry[24];
    unsigned count, block; /* threads in all, and of a block */
    enum accuracy accuracy;
    unsigned operand_count, result_count;
    unsigned operands[MOST_SLOTS];     /* indices of kinds, for operands_fill() */
    unsigned result_bytes[MOST_SLOTS]; /* 1, 2, 4 or 8 */
    const char *text;                  /* its PTX, without the head of a module */
    size_t text_bytes;
    uint64_t text_digest;
};

struct programs {
    uint64_t seed, digest;
    size_t count;
    struct kernel *kernels;
    char *file;
};

/* The head of every module. */
extern const char module_head[];

/* Read a file that generate.py wrote. Ends the process with a message where it cannot. */
struct programs *programs_read(const char *path);
void programs_free(struct programs *programs);

/* A module of the kernels from `first` to before `last`, to be freed. */
char *module_text(const struct programs *programs, size_t first, size_t last);

/* operand.c: the operands of all threads, `count * operand_count` slots. */
unsigned operand_kind(const char *name);
void operands_fill(const struct kernel *kernel, uint64_t seed, uint64_t *slots);
const char *operand_kind_name(unsigned kind);

/* The bytes of results that are kept of a kernel, and how they come out of its slots. */
size_t results_bytes(const struct kernel *kernel);
void results_pack(const struct kernel *kernel, const uint64_t *slots, unsigned char *packed);

uint64_t digest_of(uint64_t start, const void *bytes, size_t count);
#define DIGEST_START UINT64_C(0xcbf29ce484222325)

void *must_allocate(size_t bytes);
char *read_file(const char *path, size_t *bytes);

#endif
