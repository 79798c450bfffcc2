/* SPDX-License-Identifier: Apache-2.0 */
/* The command `cushim`: it runs the command that the first word names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda.h>

#include <cushim/table.h>
#include <cushim/version.h>

#include "loader/versions.h"
#include "src/driver_api/suggestion.h"
#include "src/tool/base/output.h"
#include "src/tool/base/system.h"
#include "src/tool/commands.h"
#include "src/tool/info/info.h"
#include "src/tool/probe/probe.h"
#include "src/tool/run/program.h"
#include "src/tool/symbolize/symbolizer.h"
#include "src/tool/trace/trace.h"

static const struct command_row commands[] = {
    {COMMAND_INFO, "info", command_info},
    {COMMAND_PROBE, "probe", command_probe},
    {COMMAND_TIME, "time", command_time},
    {COMMAND_RUN, "run", command_run},
    {COMMAND_PROFILE, "profile", command_profile},
    {COMMAND_SYMBOLS, "symbols", command_symbols},
    {COMMAND_SYMBOLIZE, "symbolize", command_symbolize},
    {COMMAND_TRACE, "trace", command_trace},
    {COMMAND_CHECK, "check", command_check},
    {0},
};

static enum status refuse(const char *what, const char *word)
{
    struct failure failure = {0};

    failure_set(&failure, STATUS_USAGE, "Read the manual with `cushim help`.", "%s '%.160s'", what,
                word);
    failure_print(&failure);
    return failure.status;
}

/* Returns NULL if there is no such command. */
static const struct command_row *find(const char *name)
{
    for (const struct command_row *row = commands; row->name; row++) {
        if (strcmp(row->name, name) == 0)
            return row;
    }
    return NULL;
}

/* Report a word that should name a command but does not. */
static enum status refuse_command(const char *word)
{
    struct cushim__suggestion suggestion;
    struct failure failure = {0};

    cushim__suggestion_begin(&suggestion, &(struct cushim__word){word, strlen(word)});
    for (const struct command_row *row = commands; row->name; row++)
        cushim__suggestion_offer(&suggestion, row->name);
    cushim__suggestion_offer(&suggestion, "help");
    failure_set(&failure, STATUS_USAGE, "Run `cushim help` for the list of commands.",
                "there is no command '%.160s'%s%s%s", word,
                suggestion.name ? "; did you mean '" : "", suggestion.name ? suggestion.name : "",
                suggestion.name ? "'?" : "");
    failure_print(&failure);
    return failure.status;
}

/* Print the manual of a command, or the overview if the name is empty. */
static void print_manual(FILE *file, const char *command)
{
    const struct manual *manual = manuals;

    while (strcmp(manual->command, command) != 0)
        manual++;
    for (const char *const *line = manual->lines; *line; line++)
        fprintf(file, "%s\n", *line);
}

static void print_version(void)
{
    puts("cushim " CUSHIM_VERSION_TEXT);
    printf("registry: CUDA %s, %zu symbols\n", CUSHIM__NEWEST_VERSION_TEXT, cushim_symbol_count());
    printf("headers: CUDA %d.%d\n", CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10);
}

static enum status run(const struct command_row *row, int count, char **words)
{
    struct arguments arguments;
    struct failure failure = {0};
    enum status status = STATUS_DONE;

    if (!arguments_read(&arguments, row, count, words, &failure)) {
        failure_report(&failure, arguments.json);
        status = failure.status;
    } else if (arguments.help) {
        print_manual(stdout, row->name);
    } else {
        status = row->run(&arguments);
    }
    free(arguments.settings);
    free(arguments.faults);
    free(arguments.trace_settings);
    free(arguments.folders);
    free(arguments.check_settings);
    return status;
}

static bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static enum status help(int count, char **words)
{
    const bool is_named = count > 0 && !is_help(words[0]) && strcmp(words[0], "help") != 0;

    if (count > 1)
        return refuse("help takes one command at most, not also", words[1]);
    if (is_named && strcmp(words[0], "all") != 0 && !find(words[0]))
        return refuse_command(words[0]);
    print_manual(stdout, is_named ? words[0] : "");
    return STATUS_DONE;
}

static enum status dispatch(int count, char **words)
{
    const struct command_row *row = count > 0 ? find(words[0]) : NULL;

    if (count == 0) {
        print_manual(stderr, "");
        return STATUS_USAGE;
    }
    if (row)
        return run(row, count - 1, words + 1);
    if (strcmp(words[0], PROBE_WORD) == 0) {
        const enum status status = probe_child(count - 1, words + 1);
        if (status != STATUS_USAGE)
            return status;
    }
    if (strcmp(words[0], "help") == 0 || is_help(words[0]))
        return help(count - 1, words + 1);
    if (strcmp(words[0], "--version") == 0 || strcmp(words[0], "-V") == 0) {
        if (count > 1)
            return refuse("--version takes no argument", words[1]);
        print_version();
        return STATUS_DONE;
    }
    if (words[0][0] == '-')
        return refuse("a command must come before the option", words[0]);
    return refuse_command(words[0]);
}

int main(int count, char **words)
{
    enum status status;

    /* If a program was to be started, the status must not look like one of the program's. */
    if (!system_begin(&count, &words))
        return count > 1 && strcmp(words[1], "run") == 0 ? STATUS_NO_LIBRARY : STATUS_FAILED;
    status = dispatch(count > 0 ? count - 1 : 0, words + 1);
    return output_finish() ? (int)status : (int)STATUS_FAILED;
}
