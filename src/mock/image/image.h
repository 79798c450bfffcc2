/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images: what modules are loaded from, and what they declare.
 *
 * An image is PTX text, a cubin (ELF), a fat binary of both, or what cuLinkComplete of the mock
 * made of several. Only PTX is executed; the machine code of cubins is never read. A caller passes
 * an image without its size, so the mock first copies it, up to the end that the image declares and
 * as far as the memory can be read. It reads nothing beyond the copy.
 */
#ifndef CUSHIM_MOCK_IMAGE_IMAGE_H
#define CUSHIM_MOCK_IMAGE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

#include "src/ptx/ptx.h"

struct mock_image_parameter {
    size_t offset, bytes;
};

struct mock_image_kernel {
    char *name;
    unsigned part; /* the text or the cubin that it is in, from 1 */
    bool known;    /* the parameters are known */
    size_t parameter_count;
    struct mock_image_parameter *parameters;
    size_t parameter_bytes; /* the end of the last one */
    /* 0 if unknown or none. */
    unsigned registers, shared_bytes, local_bytes;
    unsigned max_threads, required_block[3], required_cluster[3];
    unsigned ptx_version, binary_version; /* such as 50 for sm_50 */
};

/* A place in an initial value with an address, or one byte of it: of a variable plus the addend. */
struct mock_image_address {
    size_t offset;
    unsigned bytes, shift; /* as in struct ptx_address */
    uint64_t addend;
    char *name; /* of the variable; NULL if the addend alone is the address */
};

struct mock_image_global {
    char *name;
    unsigned part; /* the text or the cubin that it is in, from 1 */
    /*
     * Local: only its own part sees it. Weak: a definition that is not weak replaces it. External:
     * another part has to define it.
     */
    bool local, weak, external;
    bool reference; /* a texture, a surface or a sampler, which has no memory */
    size_t number;  /* among the globals of `program`; SIZE_MAX if a cubin declares it */
    size_t bytes;
    bool constant;
    unsigned char *initial; /* `bytes` of them; NULL for zeros */
    size_t address_count;
    struct mock_image_address *addresses;
};

struct mock_image {
    size_t kernel_count, global_count;
    unsigned part_count;
    bool executable; /* it has a cubin that needs no linking */
    struct mock_image_kernel *kernels;
    struct mock_image_global *globals;
    struct ptx_module *program; /* all its PTX; NULL if there is none, or not all can be read */
    bool beside;                /* it has PTX beside a cubin, in `program` or not understood */
    /* A part of it is compressed and cannot be read: it may declare anything. */
    bool opaque;
    bool needs_zstd;        /* it has PTX that this build cannot decompress */
    char message[160];      /* why it was refused; for the log of the JIT compiler */
    struct ptx_error error; /* of PTX that was refused; line 0 if none was */
};

/* The device and the driver for which images are loaded. */
struct mock_image_target {
    unsigned architecture; /* of the device, such as 90 */
    unsigned ptx_version;  /* the newest that the driver knows, such as 90 for 9.0 */
    bool executes;         /* PTX is translated, not only read for what it declares */
};

/*
 * Read an image of unknown size into an empty `image`, or add one of `bytes` bytes to what was read
 * into it before.
 *
 * CUDA_SUCCESS
 * INVALID_IMAGE           it has none of the formats, or is damaged
 * INVALID_PTX             PTX text that has an error, or is for a newer device
 * INVALID_SOURCE          another part has declared the same
 * UNSUPPORTED_PTX_VERSION PTX text for a newer driver
 * NO_BINARY_FOR_GPU       nothing in it is for this device
 * OUT_OF_MEMORY
 */
CUresult cushim__mock_image_read(struct mock_image *image, const void *start,
                                 const struct mock_image_target *target);
CUresult cushim__mock_image_read_bytes(struct mock_image *image, const void *start, size_t bytes,
                                       const struct mock_image_target *target);

/* Free the contents of an image. */
void cushim__mock_image_clear(struct mock_image *image);

/* The kernel or the variable that an image declares by a name, or NULL. */
struct mock_image_kernel *cushim__mock_image_kernel(const struct mock_image *image,
                                                    const char *name);
struct mock_image_global *cushim__mock_image_global(const struct mock_image *image,
                                                    const char *name);

/* Find a variable as one part sees it: variables that are local to other parts are left out. */
struct mock_image_global *cushim__mock_image_global_of(const struct mock_image *image,
                                                       const char *name, unsigned part);

/* A variable that is declared, but defined by no part; NULL if there is none. */
const struct mock_image_global *cushim__mock_image_unresolved(const struct mock_image *image);

/*
 * Join several images into one that begins like a cubin, and that cushim__mock_image_read() reads,
 * in this process or another. Returns NULL if memory runs out.
 */
struct mock_joined_part {
    const void *start;
    size_t bytes;
};
void *cushim__mock_image_join(const struct mock_joined_part *parts, size_t count, size_t *bytes);

#endif
