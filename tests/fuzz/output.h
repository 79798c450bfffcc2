/* SPDX-License-Identifier: Apache-2.0 */
/* What a target writes to standard output and to standard error, taken as texts. */
#ifndef CUSHIM_TESTS_FUZZ_OUTPUT_H
#define CUSHIM_TESTS_FUZZ_OUTPUT_H

#include <stdio.h>

/* From here on what is written to a stream goes to a file of ours; `stream`: stdout or stderr. */
struct fuzz_output {
    FILE *stream;
    int before; /* where it went */
};
void fuzz_output_begin(struct fuzz_output *output, FILE *stream);

/* It goes where it went before. What was written, without NULs; free it. */
char *fuzz_output_end(struct fuzz_output *output);

#endif
