/* SPDX-License-Identifier: Apache-2.0 */
#include "src/layer/expectation.h"

void cushim__expectation_judge(const struct cushim__call *call, CUresult answer)
{
    (void)call;
    (void)answer;
}

void cushim__expectation_drop(void)
{
}
