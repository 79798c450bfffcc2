/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries, and the kernels that they declare. */
#ifndef CUSHIM_MOCK_LIBRARY_H
#define CUSHIM_MOCK_LIBRARY_H

#include "src/mock/api/module.h"

struct cushim__kernel;

struct cushim__library {
    struct cushim__object object; /* of no context */
    struct cushim__code *code;    /* NULL: `refusal` says why */
    CUresult refusal;
    struct cushim__module *modules; /* one in each context where it is used */
    struct cushim__kernel *kernels; /* those that were asked for */
};

struct cushim__kernel {
    struct cushim__object object;
    struct cushim__library *library;
    struct cushim__kernel *next; /* in its library */
    const struct cushim__image_kernel *declared;
    struct cushim__image_kernel unknown; /* what `declared` is if the image cannot be read */
    struct cushim__function_settings settings;
};

/* The module of a library in a context; it is made at first use. */
CUresult cushim__library_module(struct cushim__library *library, struct cushim__context *context,
                                struct cushim__module **module);

/* NOT_FOUND: the library declares no such kernel. */
CUresult cushim__library_kernel(struct cushim__library *library, const char *name,
                                struct cushim__kernel **kernel);

/* Free a library, its kernels and its modules. */
void cushim__library_destroy(struct cushim__library *library);

/* A new library, with its handle. Takes over the reference on `code`, in any case. */
CUresult cushim__library_create(struct cushim__code *code, CUresult refusal,
                                struct cushim__library **library);

#endif
