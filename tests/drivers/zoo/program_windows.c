/* SPDX-License-Identifier: Apache-2.0 */
#include <windows.h>

void (*zoo_program_function(const char *name))(void);

void (*zoo_program_function(const char *name))(void)
{
    return (void (*)(void))GetProcAddress(GetModuleHandleW(NULL), name);
}
