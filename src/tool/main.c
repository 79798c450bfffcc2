/* SPDX-License-Identifier: Apache-2.0 */
/* The command `cushim`: which of its commands is meant. */
#include <stdio.h>
#include <string.h>

#include "src/tool/commands.h"
#include "src/tool/help.h"
#include "src/tool/output.h"
#include "src/tool/probe_answer.h"
#include "src/tool/probe_child.h"
#include "src/tool/system.h"

static enum status refuse(const struct failure *failure, bool as_json)
{
    struct json json = {0};

    if (!as_json) {
        failure_print(failure);
        return failure->status;
    }
    json_open(&json, NULL, '{');
    failure_json(failure, &json);
    json_close(&json, '}');
    return failure->status;
}

static enum status refuse_word(const char *what, const char *word)
{
    struct failure failure = {0};

    failure_set(&failure, STATUS_USAGE, "Read the manual with `cushim help`.", "%s%s%.160s%s", what,
                word ? " '" : "", word ? word : "", word ? "'" : "");
    return refuse(&failure, false);
}

static enum status run(const struct command_row *row, int count, char **words)
{
    struct arguments arguments;
    struct failure failure = {0};
    enum status status = STATUS_DONE;

    if (!arguments_read(&arguments, row->command, count, words, &failure))
        status = refuse(&failure, arguments.json);
    else if (arguments.help)
        help_command(row);
    else
        status = row->run(&arguments);
    arguments_free(&arguments);
    return status;
}

static enum status help(int count, char **words)
{
    const struct command_row *row = count > 0 ? commands_find(words[0]) : NULL;

    if (count > 1)
        return refuse_word("help takes one command at most, not also", words[1]);
    if (count > 0 && !row)
        return refuse_word("there is no command to explain that is called", words[0]);
    if (row)
        help_command(row);
    else
        help_manual();
    return STATUS_DONE;
}

static enum status dispatch(int count, char **words)
{
    const struct command_row *row = count > 0 ? commands_find(words[0]) : NULL;
    char names[64], problem[128];

    commands_names(names, sizeof names);
    if (count == 0) {
        snprintf(problem, sizeof problem, "a command is missing: expected %s", names);
        return refuse_word(problem, NULL);
    }
    if (row)
        return run(row, count - 1, words + 1);
    if (strcmp(words[0], PROBE_WORD) == 0) {
        const enum status status = probe_child(count - 1, words + 1);
        if (status != STATUS_USAGE)
            return status;
    }
    if (strcmp(words[0], "help") == 0 || strcmp(words[0], "--help") == 0 ||
        strcmp(words[0], "-h") == 0)
        return help(count - 1, words + 1);
    snprintf(problem, sizeof problem, "expected the command %s, not", names);
    if (strcmp(words[0], "--version") != 0)
        return refuse_word(words[0][0] == '-' ? "a command must come before the option" : problem,
                           words[0]);
    if (count > 1)
        return refuse_word("--version takes no argument", words[1]);
    help_version();
    return STATUS_DONE;
}

/* What says that it is not the program that has failed, where one was to be started. */
static enum status status_of_nothing(int count, char **words)
{
    const struct command_row *row = count > 1 ? commands_find(words[1]) : NULL;

    return row && row->command == COMMAND_RUN ? STATUS_NO_LIBRARY : STATUS_FAILED;
}

int main(int count, char **words)
{
    enum status status;

    if (!system_begin(&count, &words))
        return (int)status_of_nothing(count, words);
    status = dispatch(count > 0 ? count - 1 : 0, words + 1);
    return output_finish() ? (int)status : (int)STATUS_FAILED;
}
