/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "src/base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

/* A pipe accepts this much at once, and no machine has smaller pages. */
enum { CHUNK = 4096 };

void *cushim__system_allocate(size_t alignment, size_t bytes)
{
    return aligned_alloc(alignment, bytes);
}

void cushim__system_free(void *memory)
{
    free(memory);
}

/* Copies through a pipe, since write() also detects where readable memory ends. */
static bool read_by_pipe(void *to, const void *from, size_t bytes)
{
    size_t done = 0;
    int ends[2];

    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return false;
    while (done < bytes) {
        const size_t step = bytes - done < CHUNK ? bytes - done : CHUNK;
        const ssize_t written = write(ends[1], (const char *)from + done, step);

        if (written <= 0 || read(ends[0], (char *)to + done, (size_t)written) != written)
            break;
        done += (size_t)written;
    }
    close(ends[0]);
    close(ends[1]);
    return done == bytes;
}

/* Emulators and sandboxes lack process_vm_readv(). */
bool cushim__system_read_memory(void *to, const void *from, size_t bytes)
{
    struct iovec here = {.iov_base = to, .iov_len = bytes};
    struct iovec there = {.iov_base = (void *)(uintptr_t)from, .iov_len = bytes};
    ssize_t copied = process_vm_readv(getpid(), &here, 1, &there, 1, 0);

    if (copied < 0 && (errno == ENOSYS || errno == EPERM))
        return read_by_pipe(to, from, bytes);
    return copied == (ssize_t)bytes;
}
