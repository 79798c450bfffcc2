/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "loader/shortage.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* The words of glibc, then those of musl: messages end in them. */
static const struct {
    const char *words;
    enum cushim_outcome outcome;
} told[] = {
    {"Too many open files", CUSHIM_OUTCOME_NO_DESCRIPTOR},
    {"Too many open files in system", CUSHIM_OUTCOME_NO_DESCRIPTOR},
    {"Cannot allocate memory", CUSHIM_OUTCOME_NO_MEMORY},
    {"No file descriptors available", CUSHIM_OUTCOME_NO_DESCRIPTOR},
    {"Out of memory", CUSHIM_OUTCOME_NO_MEMORY},
};

/* What glibc says of a file system without execution as well as of a full address space. */
static const char unmapped[] = ": failed to map segment from shared object";

enum cushim_outcome cushim__shortage_of(int error)
{
    switch (error) {
    case EMFILE:
    case ENFILE:
        return CUSHIM_OUTCOME_NO_DESCRIPTOR;
    case ENOMEM:
        return CUSHIM_OUTCOME_NO_MEMORY;
    default:
        return CUSHIM_OUTCOME_NOT_LOADABLE;
    }
}

/* A path at the start of a message may hold any words. */
static bool ends_in(const char *message, const char *words)
{
    const size_t length = strlen(message), count = strlen(words);

    return length >= count && strcmp(message + length - count, words) == 0;
}

/* Whether as much as a file has cannot be mapped, though it is none. */
static bool lacks_room(const char *path)
{
    struct stat status;
    void *room;

    if (stat(path, &status) != 0 || status.st_size <= 0)
        return false;
    room = mmap(NULL, (size_t)status.st_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED)
        return true;
    munmap(room, (size_t)status.st_size);
    return false;
}

/* Whether these are the words, and the file before them has no room. */
static bool is_unmapped_for_room(const char *message)
{
    const size_t length = strlen(message);
    char path[CUSHIM_REPORT_PATH_BYTES];

    if (!ends_in(message, unmapped) || length - strlen(unmapped) >= sizeof path)
        return false;
    memcpy(path, message, length - strlen(unmapped));
    path[length - strlen(unmapped)] = '\0';
    return lacks_room(path);
}

enum cushim_outcome cushim__shortage_told(const char *message)
{
    for (size_t i = 0; i < sizeof told / sizeof told[0]; i++) {
        if (ends_in(message, told[i].words))
            return told[i].outcome;
    }
    return is_unmapped_for_room(message) ? CUSHIM_OUTCOME_NO_MEMORY : CUSHIM_OUTCOME_NOT_LOADABLE;
}
