/* SPDX-License-Identifier: Apache-2.0 */
/* The mock's library with calls that are made again for each thing that they may lack. */
#include "retry.h"
#include "src/library/library.h"

/* Behind the library's own constructor, which is linked before this one. */
__attribute__((constructor)) static void begin(void)
{
    retry_next = cushim__exports;
    cushim__exports = &retry_table;
}
