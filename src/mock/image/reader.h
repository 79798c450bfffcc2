/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that the readers of the image formats share. */
#ifndef CUSHIM_MOCK_IMAGE_READER_H
#define CUSHIM_MOCK_IMAGE_READER_H

#include "src/mock/image/image.h"

struct mock_reader {
    struct mock_image *image;
    const struct mock_image_target *target;
    unsigned depth; /* of images within images */
};

enum { MOCK_READER_DEPTH_MAX = 4 };

/* The readers, one of each format. The image is exactly these bytes, which can be read. */
CUresult cushim__mock_read_any(struct mock_reader *reader, const unsigned char *start,
                               size_t bytes);
CUresult cushim__mock_read_ptx(struct mock_reader *reader, const char *start, size_t bytes);
CUresult cushim__mock_read_elf(struct mock_reader *reader, const unsigned char *start,
                               size_t bytes);
CUresult cushim__mock_read_fatbin(struct mock_reader *reader, const unsigned char *start,
                                  size_t bytes);

/* Whether a cubin of an architecture runs on the device: if of the same family, and not newer. */
bool cushim__mock_image_runs(const struct mock_image_target *target, unsigned architecture);

/* The first four bytes of images, as a little-endian number. */
#define MOCK_ELF_MAGIC 0x464c457fu
#define MOCK_FATBIN_MAGIC 0xba55ed50u

/*
 * Add a kernel or a variable to the part that is being read, or find the existing one; `added` says
 * which. The name is copied. `local`: it belongs to no other part. NULL if memory runs out.
 */
struct mock_image_kernel *cushim__mock_image_add_kernel(struct mock_image *image, const char *name,
                                                        size_t length, bool *added);
struct mock_image_global *cushim__mock_image_add_global(struct mock_image *image, const char *name,
                                                        size_t length, bool local, bool *added);

/* Remove the definition of a variable. */
void cushim__mock_image_undefine(struct mock_image_global *global);

/* Refuse a second declaration: INVALID_SOURCE if the first is of another part, else INVALID_PTX. */
CUresult cushim__mock_image_refuse_twice(struct mock_image *image, unsigned part, const char *name,
                                         size_t length);

/* Give a kernel the next parameter. Returns false if memory runs out. */
bool cushim__mock_image_add_parameter(struct mock_image_kernel *kernel, size_t offset,
                                      size_t bytes);

/* Read PTX beside a cubin, which declares nothing more. Ignores all errors but OUT_OF_MEMORY. */
CUresult cushim__mock_read_ptx_beside(struct mock_reader *reader, const char *start, size_t bytes);

/* Set how much shared memory a kernel has. An amount that no device has counts as 1 GiB. */
void cushim__mock_image_set_shared(struct mock_image_kernel *kernel, uint64_t bytes);

/* Record why an image is refused, and return the code. */
__attribute__((format(__printf__, 3, 4))) CUresult
cushim__mock_image_refuse(struct mock_image *image, CUresult code, const char *format, ...);

/* Images joined by the mock's linker: an ELF file with a section for each. */

/* The name of those sections. */
#define MOCK_JOINED_SECTION ".cushim.image"

#endif
