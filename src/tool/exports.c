/* SPDX-License-Identifier: Apache-2.0 */
#include "src/tool/exports.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

void exports_sort(struct exports *exports)
{
    size_t count = 0;

    if (exports->count == 0)
        return;
    qsort(exports->names, exports->count, sizeof *exports->names, compare);
    for (size_t i = 0; i < exports->count; i++) {
        if (count == 0 || strcmp(exports->names[i], exports->names[count - 1]) != 0)
            exports->names[count++] = exports->names[i];
    }
    exports->count = count;
}

void exports_refuse(struct failure *failure, const char *path, const char *why)
{
    failure_set(failure, STATUS_NO_DRIVER, "Name the file of a driver's library.",
                "The exported names of '%.512s' cannot be read: %s", path, why);
}

bool exports_has(const struct exports *exports, const char *name)
{
    return exports->count > 0 &&
           bsearch(&name, exports->names, exports->count, sizeof *exports->names, compare);
}

void exports_free(struct exports *exports)
{
    free(exports->names);
    free(exports->bytes);
    *exports = (struct exports){0};
}
