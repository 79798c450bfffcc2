/* SPDX-License-Identifier: Apache-2.0 */
#include "src/tool/progress.h"

#include <stdio.h>

#include "src/tool/system.h"

static const double first_after_seconds = 1.0;
static const double again_after_seconds = 0.1;

void progress_begin(struct progress *progress)
{
    *progress = (struct progress){.is_wanted = system_error_is_terminal()};
    if (progress->is_wanted)
        progress->next = system_seconds() + first_after_seconds;
}

void progress_show(struct progress *progress, unsigned done, unsigned total)
{
    double now;
    int width;

    if (!progress->is_wanted)
        return;
    now = system_seconds();
    if (now < progress->next)
        return;
    progress->next = now + again_after_seconds;
    width =
        fprintf(stderr, "\rround %u of %u (%u %%)", done, total, (unsigned)(100.0 * done / total));
    fflush(stderr);
    if (width > progress->line_width)
        progress->line_width = width;
}

void progress_end(struct progress *progress)
{
    if (progress->line_width) {
        fprintf(stderr, "\r%*s\r", progress->line_width, "");
        fflush(stderr);
    }
    progress->line_width = 0;
}
