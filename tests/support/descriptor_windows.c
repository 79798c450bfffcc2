/* SPDX-License-Identifier: Apache-2.0 */
/* Handles: GetProcessHandleCount() is not everywhere, so all that there may be are tried. */
#include "tests/support/descriptor.h"

#include <stdint.h>

#include <windows.h>

enum { STEP = 4, END = 1 << 16 };

int descriptor_count(void)
{
    int open = 0;

    for (intptr_t number = STEP; number < END; number += STEP) {
        DWORD flags;

        open += GetHandleInformation((HANDLE)number, &flags) != 0;
    }
    return open;
}
