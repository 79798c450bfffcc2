/* SPDX-License-Identifier: Apache-2.0 */
/* Reading what may not be there. */
#ifndef CUSHIM_MOCK_IMAGE_PEEK_H
#define CUSHIM_MOCK_IMAGE_PEEK_H

#include <stdbool.h>
#include <stddef.h>

/* Copy from memory of this process. False: not all of it can be read. */
bool cushim__mock_peek(void *to, const void *from, size_t bytes);

#endif
