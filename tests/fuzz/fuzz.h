/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What all targets of fuzzing share: the entry, claims, and an input that is taken piece by piece.
 *
 * A target is one source with LLVMFuzzerTestOneInput(). It is linked twice: with replay.c, which
 * feeds it the corpus, and with libFuzzer. Same bytes, same behaviour: a target reads no clock, no
 * environment, and leaves nothing behind for the input after it.
 */
#ifndef CUSHIM_TESTS_FUZZ_FUZZ_H
#define CUSHIM_TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What has to hold for every input. If it does not, the process ends there and says what. */
#define CLAIM(condition) \
    ((condition) ? (void)0 : fuzz_fail(__FILE__, __LINE__, #condition, fuzz_place))

/* Ends the process. `place`: which input and step it was; may be empty. */
_Noreturn void fuzz_fail(const char *file, int line, const char *claim, const char *place);

/* Where the target is, for the message of a claim; empty at first. */
extern char fuzz_place[256];

/*
 * Where standard error went before a target took it, for the same message; -1: it is where it was.
 */
extern int fuzz_error;

/* The bytes that are still to be taken. Behind the end come zeros. */
struct fuzz_input {
    const uint8_t *at;
    size_t left;
};

uint8_t fuzz_byte(struct fuzz_input *input);

/* From 0 to `below` - 1, one byte of the input. */
unsigned fuzz_below(struct fuzz_input *input, unsigned below);

/* A number of up to eight bytes, little-endian. */
uint64_t fuzz_number(struct fuzz_input *input, unsigned bytes);

/* What follows up to a NUL, which is taken as well, or the end; in memory of its own: free it. */
char *fuzz_text(struct fuzz_input *input);

/* `size` bytes in memory of their own, so that a step beyond their end is noticed; never NULL. */
void *fuzz_memory(size_t size);

/* A text closed by NUL within a buffer of its length: that of a formatter that was given `size`. */
bool fuzz_is_closed(const char *text, size_t size);

/* Whether a text names what a target must not open: it would depend on the machine. */
bool fuzz_names_device(const char *text);

/* From here on what is written to a stream goes to a file of ours; `stream`: stdout or stderr. */
struct fuzz_output {
    FILE *stream;
    int before; /* where it went */
};
void fuzz_output_begin(struct fuzz_output *output, FILE *stream);

/* It goes where it went before. What was written, without NULs; free it. */
char *fuzz_output_end(struct fuzz_output *output);

#endif
