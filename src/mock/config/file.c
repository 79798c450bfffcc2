/* SPDX-License-Identifier: Apache-2.0 */
#include "src/mock/config/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/system.h"

/* More than any sensible text; a file that grows as it is read ends here, too. */
enum { LARGEST = 1 << 20 };

static CUresult refuse(CUresult code, const char *path, const char *why, char *message, size_t size)
{
    if (size)
        snprintf(message, size, "%s: %s", path, why);
    return code;
}

CUresult cushim__mock_file_read(char **text, const char *path, char *message, size_t message_size)
{
    FILE *file = cushim__host_file(path);
    char *buffer;
    size_t length;
    int error;

    if (!file)
        return errno == ENOTSUP ? refuse(CUDA_ERROR_INVALID_VALUE, path, "no regular file", message,
                                         message_size)
                                : refuse(CUDA_ERROR_FILE_NOT_FOUND, path, strerror(errno), message,
                                         message_size);
    buffer = malloc(LARGEST + 1);
    if (!buffer) {
        fclose(file);
        return refuse(CUDA_ERROR_OUT_OF_MEMORY, path, "out of memory", message, message_size);
    }
    errno = 0;
    length = fread(buffer, 1, LARGEST + 1, file);
    error = ferror(file) ? errno : 0;
    fclose(file);
    if (!error && length <= LARGEST && !memchr(buffer, '\0', length)) {
        buffer[length] = '\0';
        *text = buffer;
        return CUDA_SUCCESS;
    }
    free(buffer);
    if (error)
        return refuse(CUDA_ERROR_FILE_NOT_FOUND, path, strerror(error), message, message_size);
    return refuse(CUDA_ERROR_INVALID_VALUE, path,
                  length > LARGEST ? "larger than 1 MiB" : "not a text, for it has a NUL character",
                  message, message_size);
}

/* With the separator at its end. */
static size_t folder_length(const char *file)
{
    size_t length = strlen(file);

    while (length > 0 && !strchr(cushim__host_separators, file[length - 1]))
        length--;
    return length;
}

bool cushim__mock_file_beside(char *path, size_t size, const char *file, const char *name,
                              size_t name_length)
{
    const bool rooted = cushim__host_path_is_rooted(name, name_length);
    const size_t folder = file && !rooted ? folder_length(file) : 0;
    const int length = snprintf(path, size, "%.*s%.*s", (int)folder, folder > 0 ? file : "",
                                (int)name_length, name);

    return length > 0 && (size_t)length < size;
}
