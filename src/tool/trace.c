/* SPDX-License-Identifier: Apache-2.0 */
/* `cushim trace`: what a program has asked of the driver, and what the device did, over time. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "loader/system.h"
#include "src/tool/commands.h"
#include "src/tool/new_file.h"
#include "src/tool/system.h"
#include "src/trace/output.h"

/* --- cushim trace convert FILE: what a traced process has written, as JSON or a page --- */

typedef void trace_writer(const struct trace_timeline *timeline, FILE *file);

struct conversion {
    const struct trace_timeline *timeline;
    trace_writer *write;
};

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), end_length = strlen(end);

    return length > end_length && strcmp(text + length - end_length, end) == 0;
}

/* By the name of the file. NULL: it does not say. */
static trace_writer *writer_for(const char *output)
{
    if (strcmp(output, "-") == 0 || ends_with(output, ".json"))
        return trace_write_json;
    return ends_with(output, ".html") ? trace_write_html : NULL;
}

static uint64_t next_progress_ns; /* UINT64_MAX: nothing is shown */

/* On a terminal, not in the first second, and ten times a second then. */
static void show_progress(uint64_t done, uint64_t total)
{
    const uint64_t now = cushim__clock_ns();

    if (now < next_progress_ns)
        return;
    next_progress_ns = now + 100000000;
    fprintf(stderr, "\rreading: %3u %%",
            total ? (unsigned)(100.0 * (double)done / (double)total) : 0);
    fflush(stderr);
}

static void end_progress(void)
{
    if (system_error_is_terminal())
        fputs("\r              \r", stderr);
}

static void put_conversion(FILE *file, const void *data)
{
    const struct conversion *conversion = data;

    conversion->write(conversion->timeline, file);
}

static void convert(FILE *file, const struct arguments *arguments, trace_writer *write,
                    struct failure *failure)
{
    struct trace_reader reader;
    struct trace_timeline timeline;
    const struct conversion conversion = {&timeline, write};
    char why[256];

    next_progress_ns = system_error_is_terminal() ? cushim__clock_ns() + 1000000000 : UINT64_MAX;
    if (!trace_reader_open(&reader, file, show_progress, why, sizeof why)) {
        failure_set(failure, STATUS_NO_DRIVER, "Name a file that cushim trace has written.",
                    "%.300s %s", arguments->trace, why);
        return;
    }
    trace_timeline_read(&timeline, &reader);
    if (strcmp(arguments->output, "-") == 0)
        put_conversion(stdout, &conversion);
    else
        new_file_write(arguments->output, "The timeline", put_conversion, &conversion, failure);
    end_progress();
    if (failure->status == STATUS_DONE)
        trace_write_summary(&timeline, stderr);
    trace_timeline_free(&timeline);
    trace_reader_close(&reader);
}

static enum status convert_file(const struct arguments *arguments)
{
    trace_writer *write = writer_for(arguments->output);
    struct failure failure = {0};
    FILE *file;

    if (!write) {
        failure_set(&failure, STATUS_USAGE, "Read the manual with `cushim help trace`.",
                    "--output must end in .json or .html, or be - for JSON on standard output, "
                    "not '%.160s'",
                    arguments->output);
    } else if (!(file = fopen(arguments->trace, "rb"))) {
        failure_set(&failure, STATUS_NO_DRIVER, "Name a file that cushim trace has written.",
                    "%.300s cannot be opened: %s", arguments->trace, strerror(errno));
    } else {
        convert(file, arguments, write, &failure);
        fclose(file);
    }
    if (failure.status != STATUS_DONE)
        failure_print(&failure);
    return failure.status;
}

enum status command_trace(const struct arguments *arguments)
{
    return convert_file(arguments);
}
