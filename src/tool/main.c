/* SPDX-License-Identifier: Apache-2.0 */
/* The command `cushim`: which of its commands is meant. */
#include <string.h>

#include "src/tool/commands.h"
#include "src/tool/help.h"
#include "src/tool/output.h"
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

static enum status run(enum command command, int count, char **words)
{
    struct arguments arguments;
    struct failure failure = {0};

    if (!arguments_read(&arguments, command, count, words, &failure))
        return refuse(&failure, arguments.json);
    if (arguments.help) {
        help_command(command);
        return STATUS_DONE;
    }
    return command == COMMAND_INFO ? command_info(&arguments) : command_time(&arguments);
}

static enum status help(int count, char **words)
{
    if (count == 0)
        help_manual();
    else if (count > 1)
        return refuse_word("help takes one command at most, not also", words[1]);
    else if (strcmp(words[0], "info") == 0)
        help_command(COMMAND_INFO);
    else if (strcmp(words[0], "time") == 0)
        help_command(COMMAND_TIME);
    else
        return refuse_word("there is no command to explain that is called", words[0]);
    return STATUS_DONE;
}

static enum status dispatch(int count, char **words)
{
    if (count == 0)
        return refuse_word("a command is missing: expected info, time or help", NULL);
    if (strcmp(words[0], "info") == 0)
        return run(COMMAND_INFO, count - 1, words + 1);
    if (strcmp(words[0], "time") == 0)
        return run(COMMAND_TIME, count - 1, words + 1);
    if (strcmp(words[0], "help") == 0 || strcmp(words[0], "--help") == 0 ||
        strcmp(words[0], "-h") == 0)
        return help(count - 1, words + 1);
    if (strcmp(words[0], "--version") != 0)
        return refuse_word(words[0][0] == '-' ? "a command must come before the option"
                                              : "expected the command info, time or help, not",
                           words[0]);
    if (count > 1)
        return refuse_word("--version takes no argument", words[1]);
    help_version();
    return STATUS_DONE;
}

int main(int count, char **words)
{
    enum status status;

    system_hold_streams();
    status = dispatch(count > 0 ? count - 1 : 0, words + 1);
    return output_finish() ? (int)status : (int)STATUS_FAILED;
}
