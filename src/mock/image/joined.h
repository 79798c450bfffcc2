/* SPDX-License-Identifier: Apache-2.0 */
/* Images joined by the mock's linker: an ELF file with a section for each. */
#ifndef CUSHIM_MOCK_IMAGE_JOINED_H
#define CUSHIM_MOCK_IMAGE_JOINED_H

/* The name of those sections. */
#define MOCK_JOINED_SECTION ".cushim.image"

#endif
