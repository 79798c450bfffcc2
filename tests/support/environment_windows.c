/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/environment.h"

#include <stdlib.h>
#include <windows.h>

enum { MOST_UNITS = 32767 };

void environment_set(const char *name, const char *value)
{
    static wchar_t wide_name[256], wide_value[MOST_UNITS];

    if (MultiByteToWideChar(CP_UTF8, 0, name, -1, wide_name, 256) == 0 ||
        (value && MultiByteToWideChar(CP_UTF8, 0, value, -1, wide_value, MOST_UNITS) == 0))
        abort();
    if (!SetEnvironmentVariableW(wide_name, value ? wide_value : NULL) &&
        GetLastError() != ERROR_ENVVAR_NOT_FOUND)
        abort();
}
