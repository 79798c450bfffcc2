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

/* The size of a page, in bytes. */
size_t cushim__mock_pages_size(void);

/* How much memory the machine has, which is the most that may be page-locked. */
size_t cushim__mock_pages_lockable(void);

/* Reserve addresses that nobody can read or write. Returns NULL if there is no room. */
void *cushim__mock_pages_reserve(size_t bytes);

/* Allocate zeroed memory. Returns NULL if memory runs out. */
void *cushim__mock_pages_take(size_t bytes);

/* Free what reserve, take or room returned. */
void cushim__mock_pages_release(void *pages, size_t bytes);

/*
 * Reserve room for memory that is needed later. A part of it can be used once the system has
 * promised to back it, and is then zero. NULL, or false, if memory runs out.
 */
void *cushim__mock_pages_room(size_t bytes);
bool cushim__mock_pages_back(void *pages, size_t bytes);

/* Discard what is in a part of such room, which is then unbacked again. */
void cushim__mock_pages_empty(void *pages, size_t bytes);

/*
 * Whether all pages that the bytes touch can be read, and written if `writable`. If the system does
 * not say, because it lacks files or memory, the answer is false, and `lacks` becomes true.
 */
bool cushim__mock_pages_mapped(const void *start, size_t bytes, bool writable, bool *lacks);

/* Pages that processes share. */

enum { MOCK_PAGES_KEY_BYTES = 16 };

/* Where another process finds shared pages. */
struct mock_shared_pages {
    int32_t process, file;                   /* the process that shares them, and its file */
    unsigned char key[MOCK_PAGES_KEY_BYTES]; /* random, so no others have it */
};

/*
 * Let other processes find a part of cushim__mock_pages_room() from now on; its contents stay.
 * Returns where this process has it now, which may be elsewhere, or NULL if the system refuses.
 */
void *cushim__mock_pages_share(void *pages, size_t bytes, struct mock_shared_pages *shared);

/*
 * Make the part this process's own again, where it was, and empty. Others keep what they have
 * found. `moved` is what cushim__mock_pages_share() returned.
 */
void cushim__mock_pages_unshare(void *pages, void *moved, size_t bytes,
                                const struct mock_shared_pages *shared);

/* Whether this process is the one that shares them. */
bool cushim__mock_pages_are_own(const struct mock_shared_pages *shared);

/*
 * Map the pages of another process. Returns NULL if they are not there. On Linux `file`, unless
 * NULL, receives their open file, which the caller then owns.
 */
void *cushim__mock_pages_find(const struct mock_shared_pages *shared, size_t *bytes, int *file);

/* Unmap what cushim__mock_pages_find() returned. */
void cushim__mock_pages_lose(void *pages, size_t bytes);

/*
 * On Linux: the size of an open file of the program (0 if it cannot be mapped), and a mapping of
 * its first bytes. Both fail on Windows.
 */
size_t cushim__mock_file_bytes(int file);
void *cushim__mock_file_map(int file, size_t bytes);

/*
 * Pages that can be mapped at several addresses at once. take_many() allocates them, zeroed, at a
 * first address. With a `label` (at most MOCK_PAGES_LABEL bytes), they are in a file that other
 * processes can map by its descriptor; the label follows them. Returns NULL if memory runs out.
 */
enum { MOCK_PAGES_LABEL = 128 };
void *cushim__mock_pages_take_many(size_t bytes, const void *label, size_t label_bytes, int *file);

/*
 * Map the pages of such a file, and read their label. Returns false if it is no such file. `pages`
 * is NULL if memory runs out.
 */
bool cushim__mock_pages_open(int file, void *label, size_t label_bytes, void **pages,
                             size_t *bytes);

/* Another descriptor of the file, for the program; negative if the process has too many. */
int cushim__mock_pages_descriptor(int file);
void cushim__mock_pages_close(int file);

/* Map such pages, or a part of them, at reserved addresses as well; unmap them from there. */
bool cushim__mock_pages_put(void *pages, size_t bytes, void *reserved);
void cushim__mock_pages_remove(void *reserved, size_t bytes);

/* Reserve addresses from a given one on. Returns false if they are taken. */
bool cushim__mock_pages_reserve_at(void *address, size_t bytes);

/*
 * On Linux: create and seal a file in memory for pages, which only its user may open. A sealed file
 * keeps its size; other processes refuse an unsealed one. If the system refuses, create() returns a
 * negative number, and seal() logs it and returns false.
 */
int cushim__mock_shared_file_create(void);
bool cushim__mock_shared_file_seal(int file);

/* On Windows: write the name of a named object, which contains `what` and the key. */
enum { MOCK_SECTION_NAME = 96 };
void cushim__mock_section_name(char name[MOCK_SECTION_NAME], const char *what,
                               const unsigned char key[MOCK_PAGES_KEY_BYTES]);

#endif
