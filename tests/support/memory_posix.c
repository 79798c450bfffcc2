/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "tests/support/memory.h"

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

void *memory_nowhere(void)
{
    return (void *)(uintptr_t)0x10000;
}

/*
 * On a fault, the child ends by the signal or with a sanitizer's exit status, and not with status
 * 0.
 */
bool memory_is_readable(const volatile void *address)
{
    const pid_t child = fork();
    int status;

    if (child < 0)
        abort();
    if (child == 0) {
        close(STDERR_FILENO);
        signal(SIGSEGV, SIG_DFL);
        _exit(*(const volatile char *)address == 77 ? 0 : 0);
    }
    if (waitpid(child, &status, 0) != child)
        abort();
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

unsigned char *memory_at_an_end(const void *bytes, size_t size, struct memory_map *map)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);

    map->bytes = (size + page - 1) / page * page + page;
    map->start = mmap(NULL, map->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map->start == MAP_FAILED)
        return NULL;
    if (mprotect((char *)map->start + map->bytes - page, page, PROT_NONE) != 0)
        abort();
    return memcpy((char *)map->start + map->bytes - page - size, bytes, size);
}

void memory_free(const struct memory_map *map)
{
    munmap(map->start, map->bytes);
}
