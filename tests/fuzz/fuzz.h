/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Declarations for all fuzz targets: the entry point, assertions, and an input that is consumed
 * piece by piece.
 *
 * A target is one source file with LLVMFuzzerTestOneInput(). It is linked twice: with replay.c,
 * which runs it on the corpus, and with libFuzzer. The same bytes have the same effect: a target
 * reads neither clock nor environment, and leaves no state for the next input.
 */
#ifndef CUSHIM_TESTS_FUZZ_FUZZ_H
#define CUSHIM_TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Assert a condition for every input. If it is false, the process prints it and ends. */
#define CLAIM(condition) \
    ((condition) ? (void)0 : fuzz_fail(__FILE__, __LINE__, #condition, fuzz_place))

/* Ends the process. `place` describes the input and step, and may be empty. */
_Noreturn void fuzz_fail(const char *file, int line, const char *claim, const char *place);

/* The current step of the target, for messages; empty at first. */
extern char fuzz_place[256];

/* The remaining bytes of the input, followed by zeros. */
struct fuzz_input {
    const uint8_t *at;
    size_t left;
};

uint8_t fuzz_byte(struct fuzz_input *input);

/* A number from 0 to `below` - 1, from one byte of the input. */
unsigned fuzz_below(struct fuzz_input *input, unsigned below);

/* A number of up to eight bytes, in little-endian order. */
uint64_t fuzz_number(struct fuzz_input *input, unsigned bytes);

/* The text up to a NUL, which is consumed, or to the end of the input. The caller frees it. */
char *fuzz_text(struct fuzz_input *input);

/* `size` bytes in a separate allocation, so that accesses beyond them are detected; never NULL. */
void *fuzz_memory(size_t size);

/* Whether a text is terminated within its buffer of `size` bytes, as after a formatter. */
bool fuzz_is_closed(const char *text, size_t size);

/*
 * Whether a text names a path that a target must not open, because the result would depend on the
 * machine.
 */
bool fuzz_names_device(const char *text);

#endif
