/* SPDX-License-Identifier: Apache-2.0 */
/* Pages that processes share. */
#ifndef CUSHIM_MOCK_MEMORY_SHARED_PAGES_H
#define CUSHIM_MOCK_MEMORY_SHARED_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Whether both are the same pages. */
bool cushim__mock_pages_same(const struct mock_shared_pages *one,
                             const struct mock_shared_pages *other);

/* Whether it is this process that shares them. */
bool cushim__mock_pages_are_own(const struct mock_shared_pages *shared);

/* The pages of another process. NULL: they are not there. */
void *cushim__mock_pages_find(const struct mock_shared_pages *shared, size_t *bytes);

/* The end of what find gave. */
void cushim__mock_pages_lose(void *pages, size_t bytes);

#endif
