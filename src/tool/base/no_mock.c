/* SPDX-License-Identifier: Apache-2.0 */
/* Built instead of mock.c if cushim is built without the mock driver. */
#include "src/tool/base/mock.h"

static bool refuse(struct failure *failure)
{
    failure_set(failure, STATUS_USAGE, "Build cushim with -Dmock=enabled.",
                "This cushim is built without the mock driver.");
    return false;
}

bool mock_is_built(void)
{
    return false;
}

char *mock_settings(const struct arguments *arguments, const char *before)
{
    (void)arguments, (void)before;
    return NULL;
}

bool mock_check(const struct arguments *arguments, const char *file, const char *settings,
                const char *where, struct failure *failure)
{
    (void)arguments, (void)file, (void)settings, (void)where;
    return refuse(failure);
}

bool mock_open(const struct arguments *arguments, struct cushim_report *report,
               struct failure *failure)
{
    (void)arguments;
    *report = (struct cushim_report){.code = CUDA_SUCCESS};
    cushim__report_get(report);
    return refuse(failure);
}

bool mock_close(struct failure *failure)
{
    return failure->status == STATUS_DONE;
}

const char *mock_identity(void)
{
    return NULL;
}
