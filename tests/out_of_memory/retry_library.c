/* SPDX-License-Identifier: Apache-2.0 */
/* The mock's library, whose table repeats each call with every request failing in turn. */
#include "retry.h"
#include "src/library/library.h"

/* Runs after the library's own constructor, which is linked before this file. */
__attribute__((constructor)) static void begin(void)
{
    retry_next = cushim__exports;
    cushim__exports = &retry_table;
}
