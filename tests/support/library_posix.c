/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "tests/support/library.h"

#include <dlfcn.h>

void *library_open(const char *path)
{
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

void *library_mapped(const char *path)
{
    return dlopen(path, RTLD_NOW | RTLD_NOLOAD);
}

void *library_symbol(void *library, const char *name)
{
    return dlsym(library, name);
}

void library_close(void *library)
{
    dlclose(library);
}

const char *library_error(void)
{
    return dlerror();
}
