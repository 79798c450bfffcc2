/* SPDX-License-Identifier: Apache-2.0 */
#include "src/layer/pattern.h"

#include <stddef.h>

/* Goes back to the last star alone: what stood before it was right whatever that one takes. */
bool cushim__pattern_fits(const char *pattern, const char *text)
{
    const char *star = NULL, *taken = NULL;

    while (*text) {
        if (*pattern == '*') {
            star = pattern++;
            taken = text;
        } else if (*pattern == *text) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star + 1;
            text = ++taken;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}
