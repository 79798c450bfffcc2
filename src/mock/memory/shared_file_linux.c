/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "src/mock/memory/shared_file_linux.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/mock/core/call.h"
#include "src/mock/core/state.h"

enum { SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL };

int cushim__mock_shared_file_create(const char *name)
{
    const int file = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);

    if (file >= 0 && fchmod(file, S_IRUSR | S_IWUSR) != 0) {
        close(file);
        return -1;
    }
    return file;
}

bool cushim__mock_shared_file_seal(int file)
{
    if (fcntl(file, F_ADD_SEALS, SEALS) == 0)
        return true;
    cushim__mock_log("%s: what is to be shared cannot be sealed, and unsealed nobody takes it: %s",
                     cushim__mock_call_name(), strerror(errno));
    return false;
}

/* Of this user, and a file: to open a device may do something. */
static bool is_own_file(int file)
{
    struct stat status;

    return fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid();
}

/* What is no file in memory has no seals. */
static bool is_sealed(int file)
{
    const int seals = fcntl(file, F_GET_SEALS);

    return seals >= 0 && (seals & SEALS) == SEALS;
}

int cushim__mock_shared_file_open(int32_t process, int32_t file)
{
    char path[64];
    int found, opened = -1;

    /* A look that opens nothing, and then what was looked at and nothing else. */
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)process, (int)file);
    found = open(path, O_PATH | O_CLOEXEC);
    if (found < 0)
        return -1;
    if (is_own_file(found)) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", found);
        opened = open(path, O_RDWR | O_CLOEXEC);
    }
    close(found);
    if (opened >= 0 && !is_sealed(opened)) {
        close(opened);
        opened = -1;
    }
    return opened;
}
