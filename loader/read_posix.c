/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "loader/read.h"

#include <errno.h>
#include <unistd.h>

ssize_t cushim__read_at(int file, void *bytes, size_t size, uint64_t place)
{
    size_t length = 0;

    while (length < size) {
        const ssize_t got =
            pread(file, (unsigned char *)bytes + length, size - length, (off_t)(place + length));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        length += (size_t)got;
    }
    return (ssize_t)length;
}
