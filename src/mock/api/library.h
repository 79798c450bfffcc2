/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries, and the kernels that they declare. */
#ifndef CUSHIM_MOCK_LIBRARY_H
#define CUSHIM_MOCK_LIBRARY_H

#include "src/mock/api/module.h"

struct mock_kernel;

struct mock_library {
    struct mock_object object; /* of no context */
    struct mock_code *code;    /* NULL: `refusal` says why */
    CUresult refusal;
    struct mock_module *modules; /* one in each context where it is used */
    struct mock_kernel *kernels; /* those that were asked for */
};

struct mock_kernel {
    struct mock_object object;
    struct mock_library *library;
    struct mock_kernel *next; /* in its library */
    const struct mock_image_kernel *declared;
    struct mock_image_kernel unknown; /* what `declared` is if the image cannot be read */
    struct mock_function_settings settings;
};

/* The module of a library in a context; it is made at first use. */
CUresult cushim__mock_library_module(struct mock_library *library, struct mock_context *context,
                                     struct mock_module **module);

/* NOT_FOUND: the library declares no such kernel. */
CUresult cushim__mock_library_kernel(struct mock_library *library, const char *name,
                                     struct mock_kernel **kernel);

/* Free a library, its kernels and its modules. */
void cushim__mock_library_destroy(struct mock_library *library);

/* A new library, with its handle. Takes over the reference on `code`, in any case. */
CUresult cushim__mock_library_create(struct mock_code *code, CUresult refusal,
                                     struct mock_library **library);

#endif
