/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "loader/read.h"

#include <errno.h>
#include <unistd.h>

/* Interruptions that are put up with: a filter of system calls may answer nothing else. */
enum { MOST_INTERRUPTIONS = 100 };

ssize_t cushim__read_at(int file, void *bytes, size_t size, uint64_t place)
{
    size_t length = 0;

    for (int interruptions = 0; length < size && interruptions < MOST_INTERRUPTIONS;) {
        const ssize_t got =
            pread(file, (unsigned char *)bytes + length, size - length, (off_t)(place + length));
        if (got == 0)
            return (ssize_t)length;
        if (got > 0)
            length += (size_t)got;
        else if (errno == EINTR)
            interruptions++;
        else
            return -1;
    }
    return length == size ? (ssize_t)length : -1;
}
