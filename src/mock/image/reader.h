/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers of the formats of images share. */
#ifndef CUSHIM_MOCK_IMAGE_READER_H
#define CUSHIM_MOCK_IMAGE_READER_H

#include "src/mock/image/image.h"

struct mock_reader {
    struct mock_image *image;
    const struct mock_image_target *target;
    unsigned depth; /* of images within images */
};

enum { MOCK_READER_DEPTH_MAX = 4 };

/* One of each format. The bytes are readable, and all there is. */
CUresult cushim__mock_read_any(struct mock_reader *reader, const unsigned char *start,
                               size_t bytes);
CUresult cushim__mock_read_ptx(struct mock_reader *reader, const char *start, size_t bytes);
CUresult cushim__mock_read_elf(struct mock_reader *reader, const unsigned char *start,
                               size_t bytes);
CUresult cushim__mock_read_fatbin(struct mock_reader *reader, const unsigned char *start,
                                  size_t bytes);

/* Whether a cubin of an architecture runs on the device: of the same family, and not newer. */
bool cushim__mock_image_runs(const struct mock_image_target *target, unsigned architecture);

/* How images begin, in the first bytes as a little-endian number. */
#define MOCK_ELF_MAGIC 0x464c457fu
#define MOCK_FATBIN_MAGIC 0xba55ed50u

/*
 * Add a kernel or a variable to the part that is being read, or find the one that is there. NULL:
 * out of memory. The name is copied. `added` says which of them it was. `local`: of no other part.
 */
struct mock_image_kernel *cushim__mock_image_add_kernel(struct mock_image *image, const char *name,
                                                        size_t length, bool *added);
struct mock_image_global *cushim__mock_image_add_global(struct mock_image *image, const char *name,
                                                        size_t length, bool local, bool *added);

/* Take away what defines a variable. */
void cushim__mock_image_undefine(struct mock_image_global *global);

/* INVALID_PTX, or INVALID_SOURCE if what is there already is of another part. */
CUresult cushim__mock_image_refuse_twice(struct mock_image *image, unsigned part, const char *name,
                                         size_t length);

/* Give a kernel the next parameter. False: out of memory. */
bool cushim__mock_image_add_parameter(struct mock_image_kernel *kernel, size_t offset,
                                      size_t bytes);

/* The PTX beside a cubin, which declares nothing more. OUT_OF_MEMORY; what is wrong is ignored. */
CUresult cushim__mock_read_ptx_beside(struct mock_reader *reader, const char *start, size_t bytes);

/* How much shared memory a kernel has. What no device has counts as 1 GiB. */
void cushim__mock_image_set_shared(struct mock_image_kernel *kernel, uint64_t bytes);

/* Say why an image is refused, and pass the code on. */
__attribute__((format(__printf__, 3, 4))) CUresult
cushim__mock_image_refuse(struct mock_image *image, CUresult code, const char *format, ...);

/* Images joined by the mock's linker: an ELF file with a section for each. */

/* The name of those sections. */
#define MOCK_JOINED_SECTION ".cushim.image"

#endif
