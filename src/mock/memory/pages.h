/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages from the operating system, backed only once they are touched, and pages that processes
 * share.
 */
#ifndef CUSHIM_MOCK_MEMORY_PAGES_H
#define CUSHIM_MOCK_MEMORY_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Whether bytes are all 0. */
static inline bool cushim__mock_bytes_are_zero(const void *bytes, size_t count)
{
    const char *first = bytes;

    return count == 0 || (*first == 0 && memcmp(first, first + 1, count - 1) == 0);
}

/* The size of one, in bytes. */
size_t cushim__mock_pages_size(void);

/* How much memory the machine has: what may be page-locked at most. */
size_t cushim__mock_pages_lockable(void);

/* Addresses that nobody can read or write. NULL: there is no room. */
void *cushim__mock_pages_reserve(size_t bytes);

/* Zeroed memory. NULL: out of memory. */
void *cushim__mock_pages_take(size_t bytes);

/* The end of what reserve, take or room gave. */
void cushim__mock_pages_release(void *pages, size_t bytes);

/*
 * Room for memory that is not needed at once. A part of it can be used once the system has promised
 * to back it, which is zero then. NULL, or false: out of memory.
 */
void *cushim__mock_pages_room(size_t bytes);
bool cushim__mock_pages_back(void *pages, size_t bytes);

/* Forget what is in a part of such room: it is unbacked again. */
void cushim__mock_pages_empty(void *pages, size_t bytes);

/* Whether all pages that the bytes touch are mapped: reading them does not fault for that. */
bool cushim__mock_pages_mapped(const void *start, size_t bytes);

/* Pages that processes share. */

enum { MOCK_PAGES_KEY_BYTES = 16 };

/* Where another process finds them. */
struct mock_shared_pages {
    int32_t process, file;                   /* of the process that shares them */
    unsigned char key[MOCK_PAGES_KEY_BYTES]; /* random: no others have it */
};

/*
 * Let other processes find a part of cushim__mock_pages_room() from now on; what is in it stays.
 * Returns where this process has it now, which need not be where it was. NULL: the system refuses.
 */
void *cushim__mock_pages_share(void *pages, size_t bytes, struct mock_shared_pages *shared);

/*
 * The part is this process's own again, where it was, and empty. Others keep what they have found.
 * `moved` is what cushim__mock_pages_share() returned.
 */
void cushim__mock_pages_unshare(void *pages, void *moved, size_t bytes,
                                const struct mock_shared_pages *shared);

/* Whether it is this process that shares them. */
bool cushim__mock_pages_are_own(const struct mock_shared_pages *shared);

/*
 * The pages of another process. NULL: they are not there. On Linux `file`, if it is not NULL, becomes
 * their file, open and the caller's.
 */
void *cushim__mock_pages_find(const struct mock_shared_pages *shared, size_t *bytes, int *file);

/* The end of what find gave. */
void cushim__mock_pages_lose(void *pages, size_t bytes);

/*
 * On Linux: a file in memory for pages, which its user alone may open. Sealed, it keeps its size, and
 * unsealed nobody takes it. Negative, or false, which the log says: the system refuses.
 */
int cushim__mock_shared_file_create(void);
bool cushim__mock_shared_file_seal(int file);

/* On Windows: the name of an object of a key, for people, CreateEventA() and its like. */
enum { MOCK_SECTION_NAME = 96 };
void cushim__mock_section_name(char name[MOCK_SECTION_NAME], const char *what,
                               const unsigned char key[MOCK_PAGES_KEY_BYTES]);

#endif
