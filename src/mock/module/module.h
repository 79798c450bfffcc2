/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Modules and their functions, CUDA libraries (CUlibrary) and their kernels.
 *
 * A library has no context, but a module in each context in which a kernel of it was used. The
 * modules of a library share its image.
 */
#ifndef CUSHIM_MOCK_MODULE_MODULE_H
#define CUSHIM_MOCK_MODULE_MODULE_H

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
    size_t *variables;          /* the image's index of each program variable (translation.c) */
};

struct mock_module {
    struct mock_object object;
    struct mock_code *code;
    struct mock_library *library;     /* NULL if of none */
    struct mock_module *next;         /* in its library */
    struct mock_function *functions;  /* those that were asked for */
    CUdeviceptr *addresses;           /* of the image's variables, in its order */
    struct mock_variables *variables; /* for its executed kernels; NULL if none is executed */
};

/* The settings of cuFuncSetAttribute and its like. */
struct mock_function_settings {
    int dynamic_shared_bytes, carveout;
    int cluster[3], non_portable_cluster, cluster_policy;
    CUfunc_cache cache;
};

struct mock_function {
    struct mock_object object;          /* .context is the module's */
    struct mock_function *next, **list; /* of its module or library */
    const struct mock_image_kernel *kernel;
    struct mock_image_kernel unknown; /* `kernel` points here if the image cannot be read */
    struct mock_function_settings settings;
    struct mock_module *module;
    bool loaded; /* it was looked up by its name, loaded by a call, or launched */
};

/*
 * Find a function by name in a list, or add one with its handle: `bytes` bytes that begin with a
 * mock_function. Returns NOT_FOUND if the image declares no such kernel, or OUT_OF_MEMORY.
 */
CUresult cushim__mock_function_get(struct mock_function **list, const struct mock_image *image,
                                   const char *name, enum mock_kind kind,
                                   struct mock_context *context, size_t bytes,
                                   struct mock_function **function);

/* Free all functions of a list, with their handles. */
void cushim__mock_functions_free(struct mock_function **list);

/*
 * Create the module of an image that was already read. Takes over one reference, in any case. Waits
 * for all work of the context, as the driver does.
 */
CUresult cushim__mock_module_create(struct mock_context *context, struct mock_code *code,
                                    struct mock_module **module);

/* Free a module and its functions; its variables too, unless the context ends with them. */
void cushim__mock_module_destroy(struct mock_module *module, bool free_variables);

/*
 * Read an image of `bytes` bytes, or of unknown size if that is 0, and write to the log of `jit`.
 * `*code` has one reference.
 */
CUresult cushim__mock_code_load(const void *image, size_t bytes, const struct mock_jit *jit,
                                struct mock_code **code);

/* Read one more image into `image`. */
CUresult cushim__mock_code_add(struct mock_image *image, const void *bytes, size_t count,
                               const struct mock_jit *jit);

/*
 * Read a file, with a NUL after it. Returns FILE_NOT_FOUND, or OUT_OF_MEMORY if it is unreadable.
 */
CUresult cushim__mock_code_file(const char *path, char **bytes, size_t *size);
struct mock_code *cushim__mock_code_retain(struct mock_code *code);
void cushim__mock_code_release(struct mock_code *code);

/* Find what the image declares by a name. NOT_FOUND; INVALID_VALUE for one of the other kind. */
CUresult cushim__mock_module_function(struct mock_module *module, const char *name,
                                      struct mock_function **function);
CUresult cushim__mock_module_global(const struct mock_module *module, const char *name,
                                    CUdeviceptr *address, size_t *bytes);

/*
 * Find the function that a CUfunction means, or a CUkernel in `context` or, if that is NULL, in the
 * current one. Returns INVALID_HANDLE if the handle is neither.
 */
CUresult cushim__mock_function_in(const void *handle, struct mock_context *context,
                                  struct mock_function **function);

/* The compute capability of the devices, such as 90. */
int cushim__mock_architecture(void);

/* Attributes of functions, and of kernels on a device. */
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

/* The largest number of threads in a block of the kernel. */
unsigned cushim__mock_function_threads(const struct mock_image_kernel *kernel);

/* The shared memory of a multiprocessor that a function prefers, but enough for one block. */
size_t cushim__mock_function_capacity(const struct mock_function *function, size_t block_bytes);

/* How many blocks of the function run on a multiprocessor at once, as far as is known of it. */
int cushim__mock_function_blocks(const struct mock_function *function, unsigned threads,
                                 size_t dynamic_shared_bytes);

/*
 * Get the number of blocks in a cluster, which is not simulated. INVALID_CLUSTER_SIZE if the
 * function cannot be launched with such clusters: with too many blocks, or that do not divide the
 * grid. `most` is the largest number of blocks.
 */
CUresult cushim__mock_function_cluster(const struct mock_function *function, const unsigned grid[3],
                                       const unsigned dimensions[3], unsigned *blocks);
unsigned cushim__mock_function_cluster_most(const struct mock_function *function);

/* Find the function of a library's kernel in a context. The handle is the kernel's. */
CUresult cushim__mock_kernel_function(const void *handle, struct mock_context *context,
                                      struct mock_function **function);

/*
 * Create a library of code, or of an image that was refused, with its handle. Takes the code over
 * in any case. Fails with OUT_OF_MEMORY.
 */
CUresult cushim__mock_library_create(struct mock_code *code, CUresult refusal,
                                     struct mock_library **library);

/* Free a library, its kernels and its modules. */
void cushim__mock_library_destroy(struct mock_library *library);

/* The module of a library in a context: NULL if there is none; load() creates it at first use. */
struct mock_module *cushim__mock_library_module(const struct mock_library *library,
                                                struct mock_context *context);
CUresult cushim__mock_library_load(struct mock_library *library, struct mock_context *context,
                                   struct mock_module **module);

/* Find a kernel; creates it at first use. NOT_FOUND if the library declares no such kernel. */
CUresult cushim__mock_library_kernel(struct mock_library *library, const char *name,
                                     struct mock_kernel **kernel);

/* Remove a module from its library when the module's context ends. */
void cushim__mock_library_forget(struct mock_library *library, struct mock_module *module);

/* Free all modules of a context when it ends, but not its device memory. */
void cushim__mock_modules_forget(struct mock_context *context);

/* CUDA libraries, and the kernels that they declare. */

struct mock_library {
    struct mock_object object; /* of no context */
    struct mock_code *code;    /* NULL if refused: `refusal` says why */
    CUresult refusal;
    struct mock_module *modules;   /* one in each context where it is used */
    struct mock_function *kernels; /* those that were asked for */
};

struct mock_kernel {
    struct mock_function declared; /* of no module */
    struct mock_library *library;
};

/* The options of the JIT compiler and the linker. The mock compiles nothing, but it has a log. */

/* The outputs among the options of a call. The caller owns them. */
struct mock_jit {
    uint64_t began_ns; /* on the monotonic clock, not the virtual one */
    void **wall_time;  /* the option's value; NULL if not asked for */
    struct mock_jit_log {
        char *buffer;
        size_t room;
        void **bytes; /* the option's value: how long the log is */
    } info, error;
};

/*
 * Read options. Returns INVALID_VALUE, with nothing written, if there is no such option, or a size
 * without its buffer.
 */
CUresult cushim__mock_jit_begin(struct mock_jit *jit, unsigned count, const CUjit_option *options,
                                void **values);

/* Write the outputs. `message` goes to the log of errors; it may be empty. */
void cushim__mock_jit_end(const struct mock_jit *jit, const char *message);

#endif
