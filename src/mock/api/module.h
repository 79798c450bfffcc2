/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Modules and their functions, libraries and their kernels.
 *
 * A library has no context: it has a module in each context in which a kernel of it was used.
 * Modules of a library share the image.
 */
#ifndef CUSHIM_MOCK_MODULE_H
#define CUSHIM_MOCK_MODULE_H

#include <cuda.h>

#include "src/mock/core/object.h"
#include "src/mock/image/image.h"

struct cushim__context;
struct cushim__jit;
struct cushim__library;

/* An image that was loaded. Reference-counted. */
struct cushim__code {
    unsigned references;
    struct cushim__image image;
};

struct cushim__module {
    struct cushim__object object;
    struct cushim__code *code;
    struct cushim__library *library;    /* NULL: of none */
    struct cushim__module *next;        /* of the same library */
    struct cushim__function *functions; /* those that were asked for */
    CUdeviceptr *addresses;             /* of the image's variables, in its order */
};

/* What cuFuncSetAttribute and its like set. */
struct cushim__function_settings {
    int dynamic_shared_bytes, carveout;
    int cluster[3], non_portable_cluster, cluster_policy;
    CUfunc_cache cache;
};

struct cushim__function {
    struct cushim__object object; /* .context is the module's */
    struct cushim__module *module;
    struct cushim__function *next; /* in its module */
    const struct cushim__image_kernel *kernel;
    struct cushim__image_kernel unknown; /* what `kernel` is if the image cannot be read */
    struct cushim__function_settings settings;
    bool loaded; /* it was asked for by its name, or was to be loaded, or was launched */
    struct cushim__old_launch *old; /* what cuFuncSetBlockShape and its like set; NULL: nothing */
};

/*
 * The module of an image that was read already. Takes over one reference, in any case. Waits for
 * all work of the context, as the driver does.
 */
CUresult cushim__module_create(struct cushim__context *context, struct cushim__code *code,
                               struct cushim__module **module);

/* Free a module and its functions; its variables too, unless the context goes with them. */
void cushim__module_destroy(struct cushim__module *module, bool free_variables);

/*
 * Read an image of so many bytes, 0: nobody told how many, and tell the log of `jit`. `*code` has
 * one reference.
 */
CUresult cushim__code_load(const void *image, size_t bytes, const struct cushim__jit *jit,
                           struct cushim__code **code);

/* Read one more image into `image`. */
CUresult cushim__code_add(struct cushim__image *image, const void *bytes, size_t count,
                          const struct cushim__jit *jit);

/*
 * Read a whole file, with a NUL behind it. FILE_NOT_FOUND, or OUT_OF_MEMORY if it cannot be read.
 */
CUresult cushim__code_file(const char *path, char **bytes, size_t *size);
struct cushim__code *cushim__code_retain(struct cushim__code *code);
void cushim__code_release(struct cushim__code *code);

/* What the image declares of a name. NOT_FOUND; INVALID_VALUE: the name is of the other kind. */
CUresult cushim__module_function(struct cushim__module *module, const char *name,
                                 struct cushim__function **function);
CUresult cushim__module_global(const struct cushim__module *module, const char *name,
                               CUdeviceptr *address, size_t *bytes);

/*
 * The function that a CUfunction means, or a CUkernel in `context`. NULL as context: in the current
 * one. INVALID_HANDLE: neither.
 */
CUresult cushim__function_find(const void *handle, struct cushim__context *context,
                               struct cushim__function **function);

/* Attributes, of functions and of kernels on a device. */
void cushim__function_defaults(const struct cushim__image_kernel *kernel,
                               struct cushim__function_settings *settings);
CUresult cushim__function_attribute(const struct cushim__code *code,
                                    const struct cushim__image_kernel *kernel,
                                    const struct cushim__function_settings *settings,
                                    CUfunction_attribute attribute, int *value);
CUresult cushim__function_set(const struct cushim__image_kernel *kernel,
                              struct cushim__function_settings *settings,
                              CUfunction_attribute attribute, int value);

/* What cuFuncGetParamInfo answers; `bytes` may be NULL. */
CUresult cushim__kernel_parameter(const struct cushim__image_kernel *kernel, size_t index,
                                  size_t *offset, size_t *bytes);

/* How many threads a block of it can have at most. */
unsigned cushim__function_threads(const struct cushim__image_kernel *kernel);

/* How many of its blocks run on a multiprocessor at once, as far as is known of it. */
int cushim__function_blocks(const struct cushim__function *function, unsigned threads,
                            size_t dynamic_shared_bytes);

/* The handle is that of a kernel: the library's function of it in a context. */
CUresult cushim__kernel_function(const void *handle, struct cushim__context *context,
                                 struct cushim__function **function);

/* A library's module is forgotten: its context goes. */
void cushim__library_forget(struct cushim__library *library, struct cushim__module *module);

/* All modules of a context go with it; its memory goes by itself. */
void cushim__modules_forget(struct cushim__context *context);

/* The registered kernels at the end of the mock; the built-in ones at its beginning. */
CUresult cushim__kernels_create(void);
void cushim__kernels_clear(void);

#endif
