/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PTX text: it is read once, for what it declares and, unless that is all that is wanted, into the
 * internal code of src/ptx/code.
 *
 * What is wrong with a text refuses it. What is not implemented refuses the kernels that contain it,
 * and only when they are launched.
 */
#ifndef CUSHIM_PTX_PTX_H
#define CUSHIM_PTX_PTX_H

#include "src/ptx/program.h"

enum ptx_refusal {
    PTX_WRONG,         /* the text has an error, or is for a newer device */
    PTX_NO_TEXT,       /* it does not begin as PTX does */
    PTX_NEWER_VERSION, /* of PTX, than the target's */
    PTX_IN_OTHER_TEXT, /* what it defines is defined by another one */
    PTX_OUT_OF_MEMORY,
};

/* Why a text was refused. The line is 0 if no line is to blame (no memory, a missing symbol). */
struct ptx_error {
    enum ptx_refusal kind;
    unsigned part; /* the text, from 0 in the order of cushim__ptx_add() */
    unsigned line;
    char text[240];        /* what is wrong, on one line */
    char instruction[120]; /* the statement as it stands in the text, cut if it is long */
};

/* What texts are read for. */
struct ptx_target {
    /* The newest that may be, such as 83 for 8.3 and 90 for sm_90. */
    unsigned version, architecture;
    bool declarations; /* bodies are passed over: nothing can be launched */
};

/*
 * An empty module, with one reference. NULL: out of memory. It is filled by cushim__ptx_add(),
 * once for each text that is linked together, and finished by cushim__ptx_link(). Each of them
 * returns false if the text is refused; the module can then only be released.
 *
 * What cannot be executed is not refused here: see `refused` of struct ptx_kernel.
 */
struct ptx_module *cushim__ptx_create(const struct ptx_target *target);
bool cushim__ptx_add(struct ptx_module *module, const char *text, size_t bytes,
                     struct ptx_error *error);
bool cushim__ptx_link(struct ptx_module *module, struct ptx_error *error);
void cushim__ptx_release(struct ptx_module *module);

/* The initial value of a variable, which is the caller's to free from now on. NULL: zeros. */
unsigned char *cushim__ptx_take_initial(struct ptx_module *module, size_t global);

/* Every instruction that is known, with its types, as `add.f32`; NULL: no more. */
const char *cushim__ptx_opcode(size_t index);

#endif
