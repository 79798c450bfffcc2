/* SPDX-License-Identifier: Apache-2.0 */
#include "wrong.h"

#include "src/mock/library/exports.h"

const struct cushim_table *right;

static struct cushim_table wrong;

/* Behind the library's own constructor, which is linked before this one. */
__attribute__((constructor)) static void begin(void)
{
    right = cushim__exports;
    wrong = *right;
    wrong_patch(&wrong);
    cushim__exports = &wrong;
}
