/* SPDX-License-Identifier: Apache-2.0 */
/* Reading what may not be there. */
#ifndef CUSHIM_MOCK_IMAGE_SAFE_READ_H
#define CUSHIM_MOCK_IMAGE_SAFE_READ_H

#include <stdbool.h>
#include <stddef.h>

/* Copy from memory of this process. False: not all of it can be read. */
bool cushim__mock_safe_read(void *to, const void *from, size_t bytes);

#endif
