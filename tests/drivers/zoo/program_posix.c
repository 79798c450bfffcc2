/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

void (*zoo_program_function(const char *name))(void);

void (*zoo_program_function(const char *name))(void)
{
    void (*function)(void) = NULL;
    void *address = dlsym(RTLD_DEFAULT, name);

    memcpy(&function, &address, sizeof function);
    return function;
}
