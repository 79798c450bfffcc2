/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers of the formats of images share. */
#ifndef CUSHIM_MOCK_IMAGE_READING_H
#define CUSHIM_MOCK_IMAGE_READING_H

#include "src/mock/image/image.h"

struct cushim__reading {
    struct cushim__image *image;
    const struct cushim__image_target *target;
    unsigned depth; /* of images within images */
};

enum { CUSHIM__READING_DEPTH_MAX = 4 };

/* One of each format. The bytes are readable, and all there is. */
CUresult cushim__read_any(struct cushim__reading *reading, const unsigned char *start,
                          size_t bytes);
CUresult cushim__read_ptx(struct cushim__reading *reading, const char *start, size_t bytes);
CUresult cushim__read_elf(struct cushim__reading *reading, const unsigned char *start,
                          size_t bytes);
CUresult cushim__read_fatbin(struct cushim__reading *reading, const unsigned char *start,
                             size_t bytes);

/* Whether a cubin of an architecture runs on the device: of the same family, and not newer. */
bool cushim__image_runs(const struct cushim__image_target *target, unsigned architecture);

/* How images begin, in the first bytes as a little-endian number. */
#define CUSHIM__ELF_MAGIC 0x464c457fu
#define CUSHIM__FATBIN_MAGIC 0xba55ed50u

/*
 * Copy an image whose size nobody told, as far as it says that it goes. `*copy` is the caller's to
 * free. INVALID_IMAGE: it goes on where nothing can be read.
 */
CUresult cushim__image_copy(const void *start, unsigned char **copy, size_t *bytes);

/*
 * Add a kernel or a variable to the part that is being read, or find the one that is there. NULL:
 * out of memory. The name is copied. `added` tells which of them it was. `local`: of no other part.
 */
struct cushim__image_kernel *cushim__image_add_kernel(struct cushim__image *image, const char *name,
                                                      size_t length, bool *added);
struct cushim__image_global *cushim__image_add_global(struct cushim__image *image, const char *name,
                                                      size_t length, bool local, bool *added);

/* Take away what defines a variable. */
void cushim__image_undefine(struct cushim__image_global *global);

/* INVALID_PTX, or INVALID_SOURCE if what is there already is of another part. */
CUresult cushim__image_refuse_twice(struct cushim__image *image, unsigned part, const char *name,
                                    size_t length);

/* Give a kernel the next parameter. False: out of memory. */
bool cushim__image_add_parameter(struct cushim__image_kernel *kernel, size_t offset, size_t bytes);
bool cushim__image_add_address(struct cushim__image_global *global, size_t offset, const char *name,
                               size_t length, uint64_t addend);

/* How much shared memory a kernel has. What no device has counts as 1 GiB. */
void cushim__image_set_shared(struct cushim__image_kernel *kernel, uint64_t bytes);

/* Say why an image is refused, and pass the code on. */
__attribute__((format(__printf__, 3, 4))) CUresult
cushim__image_refuse(struct cushim__image *image, CUresult code, const char *format, ...);

#endif
