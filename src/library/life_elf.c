/* SPDX-License-Identifier: Apache-2.0 */
#include "src/library/life.h"

__attribute__((constructor)) static void begin(void)
{
    cushim__library_begin();
}

__attribute__((destructor)) static void end(void)
{
    cushim__library_end();
}
