/* SPDX-License-Identifier: Apache-2.0 */
#include "src/mock/image/peek.h"

#include <windows.h>

bool cushim__peek(void *to, const void *from, size_t bytes)
{
    SIZE_T copied = 0;

    return ReadProcessMemory(GetCurrentProcess(), from, to, bytes, &copied) && copied == bytes;
}
