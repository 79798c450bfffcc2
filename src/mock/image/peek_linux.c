/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "src/mock/image/peek.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

bool cushim__peek(void *to, const void *from, size_t bytes)
{
    struct iovec here = {.iov_base = to, .iov_len = bytes};
    struct iovec there = {.iov_base = (void *)(uintptr_t)from, .iov_len = bytes};
    ssize_t copied = process_vm_readv(getpid(), &here, 1, &there, 1, 0);

    if (copied < 0 && (errno == ENOSYS || errno == EPERM)) {
        memcpy(to, from, bytes); /* such systems leave no choice */
        return true;
    }
    return copied == (ssize_t)bytes;
}
