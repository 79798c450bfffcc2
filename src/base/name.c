/* SPDX-License-Identifier: Apache-2.0 */
#include "src/base/name.h"

#include <stdlib.h>
#include <string.h>

char *cushim__name_copy(const char *name, size_t length)
{
    char *copy = malloc(length + 1);

    if (!copy)
        return NULL;
    memcpy(copy, name, length);
    copy[length] = '\0';
    return copy;
}
