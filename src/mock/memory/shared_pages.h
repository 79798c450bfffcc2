/* SPDX-License-Identifier: Apache-2.0 */
/* Pages that processes share. */
#ifndef CUSHIM_MOCK_SHARED_PAGES_H
#define CUSHIM_MOCK_SHARED_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CUSHIM__PAGES_KEY_BYTES = 16 };

/* Where another process finds them. */
struct cushim__shared_pages {
    int32_t process, file;                      /* of the process that shares them */
    unsigned char key[CUSHIM__PAGES_KEY_BYTES]; /* random: no others have it */
};

/*
 * Let other processes find a part of cushim__pages_room() from now on; what is in it stays. Returns
 * where this process has it now, which need not be where it was. NULL: the system refuses.
 */
void *cushim__pages_share(void *pages, size_t bytes, struct cushim__shared_pages *shared);

/*
 * The part is this process's own again, where it was, and empty. Others keep what they have found.
 * `moved` is what cushim__pages_share() returned.
 */
void cushim__pages_unshare(void *pages, void *moved, size_t bytes,
                           const struct cushim__shared_pages *shared);

/* Whether both are the same pages. */
bool cushim__pages_same(const struct cushim__shared_pages *one,
                        const struct cushim__shared_pages *other);

/* Whether it is this process that shares them. */
bool cushim__pages_are_own(const struct cushim__shared_pages *shared);

/* The pages of another process. NULL: they are not there. */
void *cushim__pages_find(const struct cushim__shared_pages *shared, size_t *bytes);

/* The end of what find gave. */
void cushim__pages_lose(void *pages, size_t bytes);

#endif
