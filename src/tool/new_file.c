/* SPDX-License-Identifier: Apache-2.0 */
#include "src/tool/new_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "src/tool/output.h"
#include "src/tool/system.h"

struct new_file {
    void (*put)(FILE *file, const void *data);
    const void *data;
};

/* Write a new file. Returns 0, or an error number and the reason; then a part is removed. */
static int write_file(const struct new_file *new_file, const char *path, bool is_part,
                      const char **why)
{
    FILE *file = system_new_file(path, why);
    int error = 0;

    if (!file)
        return errno;
    errno = 0;
    new_file->put(file, new_file->data);
    if (fflush(file) != 0 || ferror(file))
        error = errno ? errno : EIO;
    if (fclose(file) != 0 && !error)
        error = errno;
    if (error)
        *why = strerror(error);
    if (error && is_part)
        remove(path);
    return error;
}

static int replace_file(const struct new_file *new_file, const char *path, const char *part,
                        const char **why)
{
    int error = write_file(new_file, part, true, why);

    if (!error && !system_replace(part, path)) {
        error = errno;
        *why = strerror(error);
        remove(part);
    }
    return error;
}

void new_file_write(const char *path, const char *what, void (*put)(FILE *file, const void *data),
                    const void *data, struct failure *failure)
{
    static const char end[] = ".part";
    const struct new_file new_file = {put, data};
    const size_t size = strlen(path) + sizeof end;
    const char *why = "";
    char *part = output_memory(size);
    int error;

    snprintf(part, size, "%s%s", path, end);
    error = system_is_replaceable(path) ? replace_file(&new_file, path, part, &why) : EPERM;
    if (error == EEXIST)
        path = part;
    /* The file cannot be replaced, or the folder cannot be written; perhaps the file can. */
    else if (error == EACCES || error == EPERM || error == ENAMETOOLONG)
        error = write_file(&new_file, path, false, &why);
    if (error)
        failure_set(failure, STATUS_FAILED, "Name another file with --output.",
                    "%s could not be written to %s: %s", what, path, why);
    free(part);
}
