/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/share.h"

int cushim__facts(struct cushim__fact facts[CUSHIM__FACTS])
{
    facts[0] = (struct cushim__fact){"system", "Windows"};
    return 1;
}
