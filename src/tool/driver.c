/* SPDX-License-Identifier: Apache-2.0 */
#include "src/tool/driver.h"

#include <stdlib.h>
#include <string.h>

#include <cushim/driver.h>

#include "loader/system.h"
#include "src/tool/system.h"

/* Number of a symbol; the count of symbols if there is none of this name. */
static size_t find(const char *symbol)
{
    size_t index = 0;

    while (index < cushim_symbol_count() && strcmp(cushim_symbol_name(index), symbol) != 0)
        index++;
    return index;
}

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

bool driver_has(const char *symbol)
{
    const enum cushim_symbol_state state = cushim_symbol_state(find(symbol));

    return state == CUSHIM_SYMBOL_FOUND || state == CUSHIM_SYMBOL_FOUND_BY_PROC_ADDRESS;
}

int driver_symbol_since(const char *symbol)
{
    return cushim_symbol_since(find(symbol));
}

const char *driver_symbol_called(const char *symbol)
{
    const size_t index = find(symbol);

    return cushim_symbol_state(index) == CUSHIM_SYMBOL_FALLEN_BACK ? cushim_symbol_fallback(index)
                                                                   : symbol;
}
