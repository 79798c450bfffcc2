/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Modules and their functions, libraries and their kernels.
 *
 * A library has no context: it has a module in each context in which a kernel of it was used.
 * Modules of a library share the image.
 */
#ifndef CUSHIM_MOCK_API_MODULE_H
#define CUSHIM_MOCK_API_MODULE_H

#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

#include "src/mock/core/object.h"
#include "src/mock/image/image.h"

struct mock_jit;
struct mock_kernel;
struct mock_library;
struct mock_link;
struct mock_variables;
struct ptx_module;

/* An image that was loaded. Reference-counted. */
struct mock_code {
    unsigned references;
    struct mock_image image;
    struct ptx_module *program; /* the image's, if it can be executed; otherwise NULL */
    size_t *variables;          /* which of the image's each of the program's is: translation.c */
};

struct mock_module {
    struct mock_object object;
    struct mock_code *code;
    struct mock_library *library;     /* NULL: of none */
    struct mock_module *next;         /* of the same library */
    struct mock_function *functions;  /* those that were asked for */
    CUdeviceptr *addresses;           /* of the image's variables, in its order */
    struct mock_variables *variables; /* of its kernels that are executed; NULL: none is */
};

/* What cuFuncSetAttribute and its like set. */
struct mock_function_settings {
    int dynamic_shared_bytes, carveout;
    int cluster[3], non_portable_cluster, cluster_policy;
    CUfunc_cache cache;
};

struct mock_function {
    struct mock_object object;          /* .context is the module's */
    struct mock_function *next, **list; /* of its module or library */
    const struct mock_image_kernel *kernel;
    struct mock_image_kernel unknown; /* what `kernel` is if the image cannot be read */
    struct mock_function_settings settings;
    struct mock_module *module;
    bool loaded; /* it was asked for by its name, or was to be loaded, or was launched */
};

/*
 * The one of a list that has a name, or a new one with its handle: of so many bytes, which begin with
 * a mock_function. NOT_FOUND: the image declares no such kernel; OUT_OF_MEMORY.
 */
CUresult cushim__mock_function_get(struct mock_function **list, const struct mock_image *image,
                                   const char *name, enum mock_kind kind,
                                   struct mock_context *context, size_t bytes,
                                   struct mock_function **function);

/* All of a list, with their handles. */
void cushim__mock_functions_free(struct mock_function **list);

/*
 * The module of an image that was read already. Takes over one reference, in any case. Waits for
 * all work of the context, as the driver does.
 */
CUresult cushim__mock_module_create(struct mock_context *context, struct mock_code *code,
                                    struct mock_module **module);

/* Free a module and its functions; its variables too, unless the context goes with them. */
void cushim__mock_module_destroy(struct mock_module *module, bool free_variables);

/*
 * Read an image of so many bytes, 0: their number is not known, and write to the log of `jit`.
 * `*code` has one reference.
 */
CUresult cushim__mock_code_load(const void *image, size_t bytes, const struct mock_jit *jit,
                                struct mock_code **code);

/* Read one more image into `image`. */
CUresult cushim__mock_code_add(struct mock_image *image, const void *bytes, size_t count,
                               const struct mock_jit *jit);

/*
 * Read a whole file, with a NUL after it. FILE_NOT_FOUND, or OUT_OF_MEMORY if it cannot be read.
 */
CUresult cushim__mock_code_file(const char *path, char **bytes, size_t *size);
struct mock_code *cushim__mock_code_retain(struct mock_code *code);
void cushim__mock_code_release(struct mock_code *code);

/* What the image declares of a name. NOT_FOUND; INVALID_VALUE: the name is of the other kind. */
CUresult cushim__mock_module_function(struct mock_module *module, const char *name,
                                      struct mock_function **function);
CUresult cushim__mock_module_global(const struct mock_module *module, const char *name,
                                    CUdeviceptr *address, size_t *bytes);

/*
 * The function that a CUfunction means, or a CUkernel in `context`. NULL as context: in the current
 * one. INVALID_HANDLE: neither.
 */
CUresult cushim__mock_function_in(const void *handle, struct mock_context *context,
                                  struct mock_function **function);

/* The compute capability of the devices, as 90. */
int cushim__mock_architecture(void);

/* Attributes, of functions and of kernels on a device. */
void cushim__mock_function_defaults(const struct mock_image_kernel *kernel,
                                    struct mock_function_settings *settings);
CUresult cushim__mock_function_attribute(const struct mock_code *code,
                                         const struct mock_image_kernel *kernel,
                                         const struct mock_function_settings *settings,
                                         CUfunction_attribute attribute, int *value);
CUresult cushim__mock_function_set(const struct mock_image_kernel *kernel,
                                   struct mock_function_settings *settings,
                                   CUfunction_attribute attribute, int value);

/* What cuFuncGetParamInfo returns; `bytes` may be NULL. */
CUresult cushim__mock_kernel_parameter(const struct mock_image_kernel *kernel, size_t index,
                                       size_t *offset, size_t *bytes);

/* How many threads a block of it can have at most. */
unsigned cushim__mock_function_threads(const struct mock_image_kernel *kernel);

/* How many of its blocks run on a multiprocessor at once, as far as is known of it. */
int cushim__mock_function_blocks(const struct mock_function *function, unsigned threads,
                                 size_t dynamic_shared_bytes);

/* The handle is that of a kernel: the library's function of it in a context. */
CUresult cushim__mock_kernel_function(const void *handle, struct mock_context *context,
                                      struct mock_function **function);

/* A library's module is forgotten: its context goes. */
void cushim__mock_library_forget(struct mock_library *library, struct mock_module *module);

/* All modules of a context go with it; its memory goes by itself. */
void cushim__mock_modules_forget(struct mock_context *context);

/* The registered kernels at the end of the mock; the built-in ones at its beginning. */
CUresult cushim__mock_kernels_create(void);
void cushim__mock_kernels_clear(void);

/* Libraries, and the kernels that they declare. */

struct mock_library {
    struct mock_object object; /* of no context */
    struct mock_code *code;    /* NULL: `refusal` says why */
    CUresult refusal;
    struct mock_module *modules;   /* one in each context where it is used */
    struct mock_function *kernels; /* those that were asked for */
};

struct mock_kernel {
    struct mock_function declared; /* of no module */
    struct mock_library *library;
};

/*
 * The options of the JIT compiler and the linker: what the mock compiles is nothing, but it has a
 * log.
 */

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
