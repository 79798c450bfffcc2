/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels need from the user of the interpreter: memory, output and a clock. */
#ifndef CUSHIM_TESTS_KERNEL_FIXTURE_H
#define CUSHIM_TESTS_KERNEL_FIXTURE_H

#include "src/ptx/ptx.h"
#include "tests/support/cmocka.h"

#define HEAD ".version 8.3\n.target sm_90\n.address_size 64\n"

extern char printed[16384];
extern const struct ptx_callbacks callbacks;
extern uint64_t accesses[3];      /* that the hook has seen, by use */
#define TIMER (UINT64_C(5) << 32) /* nanoseconds at the beginning of a launch */
extern struct ptx_race races[80];
extern size_t race_count; /* races that the hook has seen */

/* Allocate zeroed device memory, which is freed at the end of the test. */
uint64_t device_memory(size_t bytes);
extern bool reuse_memory; /* whether malloc() in kernels reuses freed memory */
void *device_bytes(uint64_t address);
int forget_memory(void **state);

/* Translate a text, which must succeed; translate a text that must be refused. */
struct ptx_module *translate(const char *text);
struct ptx_error refused(const char *text);
extern const struct ptx_target any_target;

/* The addresses of all global variables of a module, in memory with their initial values. */
const uint64_t *place_globals(const struct ptx_module *module);

/* The options of a launch; the default for grid, block and similar members is one. */
struct run {
    uint32_t grid, block;
    size_t shared;
    bool cooperative, hooked;
    uint32_t multiprocessors, number;
    uint64_t slice;
    const void *parameters;
    size_t bytes;
};

/* Run a kernel to its end. `fault` and `counts` have the details. */
enum ptx_state run(struct ptx_module *module, const char *kernel, struct run options);
extern struct ptx_fault fault;
extern struct ptx_counts counts;

/*
 * Run a text with one kernel `k(.param .u64 out, .param .u64 in)` in one block, and release its
 * module. The memory at `in` begins with the input. Returns the address of `out`.
 */
uint64_t run_text(const char *text, uint32_t threads, const void *input, size_t bytes,
                  size_t output_bytes);

#define KERNEL_TEST(name) TEST_BETWEEN(name, NULL, forget_memory)

#endif
