/* SPDX-License-Identifier: Apache-2.0 */
/* glibc's dynamic linker: of which age it is, and whether somebody stands between it and us. */
#define _GNU_SOURCE
#include "loader/linker.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cushim/report.h>

#include "loader/mapped.h"

#ifdef __GLIBC__

/* The number behind "glibc 2."; 0: it cannot be told. */
static long minor_version(void)
{
    static const char major[] = "glibc 2.";
    char version[32] = "";

    confstr(_CS_GNU_LIBC_VERSION, version, sizeof version);
    return strncmp(version, major, sizeof major - 1) == 0
               ? strtol(version + sizeof major - 1, NULL, 10)
               : 0;
}

/* Whether somebody hears of the linker's searches, and may send them elsewhere. */
static bool is_audited(void)
{
    const struct r_debug *linker;
    uintptr_t address;

    if (getenv("LD_AUDIT") || cushim__mapped_program_entry(DT_AUDIT, &address) ||
        cushim__mapped_program_entry(DT_DEPAUDIT, &address))
        return true;
    /* Not there in a namespace of dlmopen(). In another version there are several. */
    if (!cushim__mapped_program_entry(DT_DEBUG, &address) || !address)
        return true;
    memcpy(&linker, &address, sizeof linker);
    return linker->r_version > 1;
}

/*
 * Whether dlopen() is the C library's. Another one, of a library that was loaded before the program
 * or of the program itself, may lead a search to where no look would find anything.
 */
static bool asks_the_linker(void)
{
    static const char *const libraries[] = {"libc.so", "libc-2", "libdl.so", "libdl-2"};
    const uintptr_t function = (uintptr_t)dlsym(RTLD_DEFAULT, "dlopen");
    char path[CUSHIM_REPORT_PATH_BYTES];
    const char *file;

    if (!function || !cushim__mapped_holding(function, path, sizeof path))
        return false;
    file = strrchr(path, '/');
    for (size_t i = 0; file && i < sizeof libraries / sizeof libraries[0]; i++) {
        if (strncmp(file + 1, libraries[i], strlen(libraries[i])) == 0)
            return true;
    }
    return false;
}

struct cushim__linker cushim__linker_ask(void)
{
    const long version = minor_version();
    struct cushim__linker linker = {.has_old_subfolders = version < 37};

    /* Other subfolders can be asked for, of the older ones. */
    linker.is_known =
        version >= 37 || (version > 0 && !getenv("LD_HWCAP_MASK") && !getenv("GLIBC_TUNABLES"));
    linker.is_known = linker.is_known && !is_audited() && asks_the_linker();
    return linker;
}

#endif
