/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `cushim trace -- PROGRAM`: each process of the program writes a file next to the output. When the
 * program has ended, the command converts these files and removes them.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/tool/base/output.h"
#include "src/tool/base/system.h"
#include "src/tool/run/program.h"
#include "src/tool/trace/trace.h"
#include "src/trace/file.h"
#include "src/trace/options.h"

/* --- the files that the program wrote --- */

struct files {
    char *folder, *beginning; /* where they are, and how their names begin */
    char **paths;
    size_t count;
};

static bool is_trace(const char *name, const char *beginning)
{
    static const char end[] = ".trace";
    const size_t length = strlen(name);

    return strncmp(name, beginning, strlen(beginning)) == 0 && length > strlen(end) &&
           strcmp(name + length - strlen(end), end) == 0;
}

static void find_files(struct files *files)
{
    struct dirent **entries = NULL;
    const int count = scandir(files->folder, &entries, NULL, alphasort);

    files->paths = output_memory((size_t)(count > 0 ? count : 1) * sizeof *files->paths);
    for (int i = 0; i < count; i++) {
        if (is_trace(entries[i]->d_name, files->beginning))
            files->paths[files->count++] = program_join(files->folder, "/", entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
}

/* The output for a file: run.html, or run.4711.html if there are several files; free it. */
static char *output_for(const char *output, const struct files *files, size_t index)
{
    const char *name = strrchr(files->paths[index], '/') + 1 + strlen(files->beginning);
    const char *suffix = strrchr(output, '.');
    const size_t size = strlen(output) + strlen(name) + 2;
    char *text = output_memory(size);

    if (files->count == 1)
        snprintf(text, size, "%s", output);
    else
        snprintf(text, size, "%.*s.%.*s%s", (int)(suffix - output), output,
                 (int)(strlen(name) - strlen(".trace")), name, suffix);
    return text;
}

/* Whether the process of a file still runs, and may write more. */
static bool is_unfinished(const char *path, long *process)
{
    struct trace_header header = {0};
    FILE *file = fopen(path, "rb");
    const bool is_read = file && fread(&header, sizeof header, 1, file) == 1;

    if (file)
        fclose(file);
    *process = (long)header.process;
    return is_read && !(header.flags & TRACE_ENDED) && header.process > 0 &&
           (kill((pid_t)header.process, 0) == 0 || errno == EPERM);
}

/* A file is kept if it cannot be converted, or if its process still runs. */
static void convert_files(const struct files *files, const struct arguments *arguments,
                          struct failure *failure)
{
    for (size_t i = 0; i < files->count; i++) {
        struct failure failed = {0};
        char *path = output_for(arguments->output, files, i);
        long process;
        const bool stays = is_unfinished(files->paths[i], &process);

        trace_convert(files->paths[i], path, arguments->quiet, &failed);
        if (failed.status == STATUS_DONE && !arguments->quiet)
            fprintf(stderr, "Wrote %s\n", path);
        else if (failed.status != STATUS_DONE && failure->status == STATUS_DONE)
            *failure = failed;
        if (stays)
            fprintf(stderr, "cushim: process %ld still runs, and its trace goes on in %s\n",
                    process, files->paths[i]);
        else if (failed.status == STATUS_DONE)
            unlink(files->paths[i]);
        else
            fprintf(stderr, "cushim: the trace stays in %s\n", files->paths[i]);
        free(path);
    }
}

static void explain_nothing(void)
{
    fputs("cushim: nothing was traced: no process has called the driver through libcuda.so.1, or "
          "none could write its trace.\n"
          "A program is not reached that opens the driver by its path, was linked statically, has "
          "an RPATH to another libcuda.so.1, contains the mock driver, or has more rights than its "
          "user.\n",
          stderr);
}

/* --- the program --- */

static bool check_settings(const struct arguments *arguments, struct failure *failure)
{
    struct trace_options ignored = {0};
    char message[256] = "";
    const char *text;

    if (!arguments->trace_settings ||
        cushim__trace_options_read(&ignored, arguments->trace_settings, "", message,
                                   sizeof message))
        return true;
    /* Leave out the line and the column: the user gave options. */
    text = strstr(message, ": ");
    failure_set(failure, STATUS_USAGE, "Read the manual with `cushim help trace`.", "%s",
                text ? text + 2 : message);
    return false;
}

/*
 * Create a file in the folder and remove it, so that the command fails at once if the program's
 * processes could not create theirs. The name is as long as theirs can be.
 */
static bool check_folder(const char *prefix, const char *folder, struct failure *failure)
{
    char *path = program_join(prefix, ".", "4294967295-999.trace");
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    if (file < 0) {
        failure_set(failure, STATUS_FAILED, "Name another file with --output.",
                    "No trace can be written in %.300s: %s", folder, strerror(errno));
    } else {
        close(file);
        unlink(path);
    }
    free(path);
    return file >= 0;
}

static bool set_variables(const struct arguments *arguments, const char *prefix,
                          struct failure *failure)
{
    /* NVTX in the program loads the library that this variable names. */
    const char *library = system_get("CUSHIM_LIBRARY");

    return system_set("CUSHIM_TRACE", prefix, failure) &&
           system_set("CUSHIM_TRACE_OPTIONS",
                      arguments->trace_settings ? arguments->trace_settings : "", failure) &&
           (system_get("NVTX_INJECTION64_PATH") ||
            system_set("NVTX_INJECTION64_PATH", library, failure));
}

enum status trace_run(const struct arguments *arguments, struct failure *failure)
{
    char number[32], *output, *prefix;
    struct files files = {0};
    int status = 0;

    if (!check_settings(arguments, failure))
        return failure->status;
    if (!(arguments->mock ? program_takes_mock(arguments, failure)
                          : program_takes_driver(arguments, failure)))
        return failure->status == STATUS_NO_DRIVER && !arguments->library
                   ? program_runs_alone(arguments, "traced", failure)
                   : failure->status;
    output = system_absolute_path(arguments->output);
    if (!output) {
        failure_set(failure, STATUS_FAILED, "", "There is no memory for a path.");
        return failure->status;
    }
    snprintf(number, sizeof number, "%lu", (unsigned long)getpid());
    prefix = program_join(output, ".", number);
    files.beginning = program_join(strrchr(prefix, '/') + 1, "", ".");
    files.folder = dirname(output);
    if (check_folder(prefix, files.folder, failure) && set_variables(arguments, prefix, failure))
        status = spawn_and_wait(arguments->program, failure);
    if (failure->status == STATUS_DONE) {
        find_files(&files);
        if (files.count == 0)
            explain_nothing();
        convert_files(&files, arguments, failure);
    }
    for (size_t i = 0; i < files.count; i++)
        free(files.paths[i]);
    free(files.paths);
    free(files.beginning);
    free(prefix);
    free(output);
    return (enum status)status;
}
