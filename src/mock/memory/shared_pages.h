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
 * Let other processes find pages of cushim__pages_take() from now on; what is in them stays. False:
 * the system has no more files.
 */
bool cushim__pages_share(void *pages, size_t bytes, struct cushim__shared_pages *shared);

/* The pages are this process's own again, and empty. Others keep what they have found. */
void cushim__pages_unshare(void *pages, size_t bytes, const struct cushim__shared_pages *shared);

/* Whether both are the same pages. */
bool cushim__pages_same(const struct cushim__shared_pages *one,
                        const struct cushim__shared_pages *other);

/* The pages of another process, for cushim__pages_release(). NULL: they are not there. */
void *cushim__pages_find(const struct cushim__shared_pages *shared, size_t *bytes);

#endif
