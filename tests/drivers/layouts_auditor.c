/* SPDX-License-Identifier: Apache-2.0 */
/* An auditor (LD_AUDIT) that redirects the search for the driver to the file LAYOUTS_AUDITED. */
#define _GNU_SOURCE
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

unsigned la_version(unsigned version)
{
    (void)version;
    return 1; /* the first version with la_objsearch() */
}

char *la_objsearch(const char *name, uintptr_t *cookie, unsigned flag)
{
    char *path =
        flag == LA_SER_ORIG && strcmp(name, "libcuda.so.1") == 0 ? getenv("LAYOUTS_AUDITED") : NULL;

    (void)cookie;
    return path ? path : (char *)(uintptr_t)name;
}
