/* SPDX-License-Identifier: Apache-2.0 */
/* In tests over the mock, the result of every call is known. */
#include "tests/check/answers.h"

#undef CODE
#undef OK
#include "tests/support/cmocka.h"

static void expect(CUresult answer, CUresult wanted, const char *call)
{
    if (answer != wanted)
        fail_msg("%s returns %d, not %d", call, (int)answer, (int)wanted);
}

void check_expect(CUresult answer, CUresult wanted, const char *call)
{
    expect(answer, wanted, call);
}

void check_misuse(CUresult answer, CUresult wanted, const char *call)
{
    expect(answer, wanted, call);
}
