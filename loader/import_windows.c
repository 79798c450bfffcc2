/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pointer through which code reaches a variable of a DLL. For programs that link the DLL, the
 * linker makes it; those that link the static library find this one and need not say which they do.
 */
#include <cushim/driver.h>

extern const struct cushim_table **const __imp_cushim__current;
const struct cushim_table **const __imp_cushim__current = &cushim__current;
