/* SPDX-License-Identifier: Apache-2.0 */
/* There are no forks on Windows. */
#include "src/mock/fork.h"

void cushim__mock_register_atfork(void)
{
}
