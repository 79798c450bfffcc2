/* SPDX-License-Identifier: Apache-2.0 */
/* On Windows, cushim looks up no addresses. */
#include "src/tool/symbolize/symbolizer.h"

bool symbolizer_find(const char *folder, const char *name, uint64_t offset, char *text, size_t size)
{
    (void)folder;
    (void)name;
    (void)offset;
    (void)text;
    (void)size;
    return false;
}

const char *symbolizer_obstacle(void)
{
    return "Addresses are not looked up on Windows.";
}

void symbolizer_end(void)
{
}
