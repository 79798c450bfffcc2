/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cubin that the test writes itself. It has the parts that cushim reads, and no code.
 *
 * It declares the kernel `scale(u8, u64, u32)` and the variables `start` (8 bytes, value 7),
 * `zeros` (12 bytes) and `table` (constant, 4 bytes, value 5).
 */
#ifndef CUSHIM_TESTS_MOCK_CUBIN_H
#define CUSHIM_TESTS_MOCK_CUBIN_H

#include <stddef.h>

enum {
    CUBIN_BYTES = 4096,
    /* Offsets that tests overwrite. */
    CUBIN_CLASS = 4,
    CUBIN_MACHINE = 18,
    CUBIN_SECTIONS = 40, /* offset of the section headers (8 bytes) */
};

/* Write a cubin for an architecture, such as 90, to a buffer of CUBIN_BYTES. Returns its size. */
size_t cubin_make(unsigned char *buffer, unsigned architecture);

/* The offset of a section's header in the file, by the section's name. */
size_t cubin_section(const unsigned char *buffer, const char *name);

/* A fat binary in a buffer of CUBIN_BYTES, to which a test adds entries. */
enum { FATBIN_PTX = 1, FATBIN_CUBIN = 2, FATBIN_COMPRESSED = 0x2000 };
size_t fatbin_begin(unsigned char *buffer);
size_t fatbin_add(unsigned char *buffer, unsigned kind, unsigned architecture, unsigned flags,
                  const void *bytes, size_t size);

#endif
