/* SPDX-License-Identifier: Apache-2.0 */
#include <cushim/version.h>

int cushim_version(void)
{
    return CUSHIM_VERSION;
}
