/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options of the JIT compiler and the linker: what the mock compiles is nothing, but it has a
 * log.
 */
#ifndef CUSHIM_MOCK_JIT_H
#define CUSHIM_MOCK_JIT_H

#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

/* The outputs among the options of a call; they stay the caller's. */
struct mock_jit {
    uint64_t began_ns; /* of the host's clock */
    void **wall_time;  /* the option's value; NULL: not asked for */
    struct mock_jit_log {
        char *buffer;
        size_t room;
        void **bytes; /* the option's value: how long the log is */
    } info, error;
};

/*
 * Take options in. INVALID_VALUE: there is no such option, or a size without its buffer; then
 * nothing is written.
 */
CUresult cushim__mock_jit_begin(struct mock_jit *jit, unsigned count, const CUjit_option *options,
                                void **values);

/* Write the outputs. `message` goes to the log of errors; it may be empty. */
void cushim__mock_jit_end(const struct mock_jit *jit, const char *message);

#endif
