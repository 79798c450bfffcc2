/* SPDX-License-Identifier: Apache-2.0 */
#include "src/tool/driver.h"

#include <stdlib.h>

#include <cushim/driver.h>

#include "loader/system.h"
#include "src/tool/system.h"

bool driver_open(const char *library, struct cushim_report *report, struct failure *failure)
{
    struct cushim_load_options options = {.size = sizeof options, .library = library};
    char *absolute = NULL;

    /* The loader refuses relative paths, since folders change; a command is short. */
    if (library && library[0] && !cushim__path_is_absolute(library)) {
        absolute = system_absolute_path(library);
        if (absolute)
            options.library = absolute;
    }
    cushim_init(&options);
    free(absolute);

    *report = (struct cushim_report){.size = sizeof *report};
    cushim_report_get(report);
    if (report->state == CUSHIM_STATE_READY)
        return true;
    failure_from_report(failure, report);
    return false;
}
