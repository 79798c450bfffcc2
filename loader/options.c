/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/options.h"

#include <string.h>

bool cushim__options_read(void *known, size_t known_size, const void *given)
{
    const unsigned char *bytes = given;
    size_t size;

    if (!given)
        return true;
    memcpy(&size, given, sizeof size);
    if (size < sizeof size || size > CUSHIM__LARGEST_OPTIONS || size % sizeof size != 0)
        return false;
    for (size_t i = known_size; i < size; i++) {
        if (bytes[i])
            return false;
    }
    memcpy(known, given, size < known_size ? size : known_size);
    memcpy(known, &known_size, sizeof known_size);
    return true;
}
