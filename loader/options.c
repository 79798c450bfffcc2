/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/options.h"

#include <string.h>

static bool is_valid(size_t size)
{
    return size >= sizeof size && size <= CUSHIM__LARGEST_OPTIONS && size % sizeof size == 0;
}

bool cushim__options_read(void *known, size_t known_size, const void *given)
{
    const unsigned char *bytes = given;
    size_t size;

    if (!given)
        return true;
    memcpy(&size, given, sizeof size);
    if (!is_valid(size))
        return false;
    for (size_t i = known_size; i < size; i++) {
        if (bytes[i])
            return false;
    }
    memcpy(known, given, size < known_size ? size : known_size);
    memcpy(known, &known_size, sizeof known_size);
    return true;
}

bool cushim__options_write(void *given, const void *known)
{
    unsigned char *bytes = given;
    size_t size, known_size;

    if (!given)
        return false;
    memcpy(&size, given, sizeof size);
    memcpy(&known_size, known, sizeof known_size);
    if (!is_valid(size))
        return false;
    if (size > known_size)
        memset(bytes + known_size, 0, size - known_size);
    memcpy(bytes + sizeof size, (const unsigned char *)known + sizeof size,
           (size < known_size ? size : known_size) - sizeof size);
    return true;
}
