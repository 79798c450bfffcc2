/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program in the PTX of an image, which is translated when the image is loaded, and the
 * variables of its kernels.
 */
#ifndef CUSHIM_MOCK_MODULE_TRANSLATION_H
#define CUSHIM_MOCK_MODULE_TRANSLATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

struct mock_code;
struct mock_context;
struct mock_jit;
struct mock_module;
struct ptx_error;

/* The addresses of a module's variables, for its kernels. Held by the module and its launches. */
struct mock_variables {
    unsigned references;
    struct mock_code *code;
    size_t count;        /* of all variables of the program */
    uint64_t *addresses; /* 0 for one without memory */
    bool *own;           /* not declared by the image, and with memory of its own */
};

/*
 * Finish the program of an image that was read, unless kernels are not to be executed. Returns
 * INVALID_PTX, with the reason in the log of `jit`, or OUT_OF_MEMORY.
 */
CUresult cushim__mock_code_link(struct mock_code *code, const struct mock_jit *jit);

/* Report an error in PTX to the log of the options, as ptxas does, and to the mock's log. */
void cushim__mock_code_wrong(const struct mock_jit *jit, const struct ptx_error *error);

/*
 * Give memory and initial values to all variables of the program, once the module has those that
 * its image declares. Does nothing if nothing is executed.
 */
CUresult cushim__mock_variables_create(struct mock_module *module);
struct mock_variables *cushim__mock_variables_retain(struct mock_variables *variables);
/*
 * Retain the variables for a launch. If they contain texture references, return a copy instead, in
 * which these keep what is bound to them now. Returns NULL if memory runs out.
 */
struct mock_variables *cushim__mock_variables_for_launch(struct mock_variables *variables,
                                                         struct mock_context *context);
void cushim__mock_variables_release(struct mock_variables *variables);

/* Free what the module owns when it ends. */
void cushim__mock_variables_free(struct mock_variables *variables);

#endif
