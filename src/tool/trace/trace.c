/* SPDX-License-Identifier: Apache-2.0 */
/* `cushim trace convert`: a trace file becomes a timeline, as JSON or as a page for a browser. */
#include "src/tool/trace/trace.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "src/tool/base/arguments.h"
#include "src/trace/read/output.h"

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

/* The writer for the extension of a file's name; NULL if there is none. */
static trace_writer *writer_for(const char *output)
{
    if (strcmp(output, "-") == 0 || ends_with(output, ".json"))
        return trace_write_json;
    return ends_with(output, ".html") ? trace_write_html : NULL;
}

static void put_conversion(FILE *file, const void *data)
{
    const struct conversion *conversion = data;

    conversion->write(conversion->timeline, file);
}

static void convert(FILE *file, const char *path, const char *output, trace_writer *write,
                    bool is_quiet, struct failure *failure)
{
    struct trace_reader reader;
    struct trace_timeline timeline;
    const struct conversion conversion = {&timeline, write};
    char why[256];

    if (!trace_reader_open(&reader, file, why, sizeof why)) {
        failure_set(failure, STATUS_NO_DRIVER, "Name a file that cushim trace has written.",
                    "%.300s %s", path, why);
        return;
    }
    trace_timeline_read(&timeline, &reader);
    trace_demangle(&timeline, trace_demangle_lines);
    if (strcmp(output, "-") == 0)
        put_conversion(stdout, &conversion);
    else
        output_to_file(output, "The timeline", put_conversion, &conversion, failure);
    if (failure->status == STATUS_DONE && !is_quiet)
        trace_write_summary(&timeline, stderr);
    trace_timeline_free(&timeline);
    trace_reader_close(&reader);
}

/* Standard output belongs to the program, if one is started. */
static bool check_output(const struct arguments *arguments, struct failure *failure)
{
    const bool is_standard = strcmp(arguments->output, "-") == 0;

    if (is_standard ? !arguments->convert : !writer_for(arguments->output))
        failure_set(failure, STATUS_USAGE, "Read the manual with `cushim help trace`.",
                    "--output must end in .json or .html%s, not '%.160s'",
                    arguments->convert ? ", or be - for JSON on standard output" : "",
                    arguments->output);
    return failure->status == STATUS_DONE;
}

void trace_convert(const char *path, const char *output, bool is_quiet, struct failure *failure)
{
    FILE *file = fopen(path, "rb");

    if (!file) {
        failure_set(failure, STATUS_NO_DRIVER, "Name a file that cushim trace has written.",
                    "%.300s cannot be opened: %s", path, strerror(errno));
        return;
    }
    convert(file, path, output, writer_for(output), is_quiet, failure);
    fclose(file);
}

enum status command_trace(const struct arguments *arguments)
{
    struct failure failure = {0};
    enum status status = STATUS_DONE;

    if (check_output(arguments, &failure)) {
        if (arguments->convert)
            trace_convert(arguments->trace, arguments->output, false, &failure);
        else
            status = trace_run(arguments, &failure);
    }
    if (failure.status == STATUS_DONE)
        return status;
    failure_print(&failure);
    return failure.status;
}
