/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command line, from main() on: arguments are parsed, and settings are combined and checked as
 * before the start of a program. No program starts and no driver is loaded, because this file
 * replaces the functions that would do so.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/tool/base/mock.h"
#include "src/tool/base/system.h"
#include "src/tool/commands.h"
#include "src/tool/info/info.h"
#include "src/tool/probe/probe.h"
#include "src/tool/run/program.h"
#include "src/tool/run/run_report.h"
#include "src/tool/symbolize/symbolizer.h"
#include "src/tool/trace/trace.h"
#include "tests/fuzz/fuzz.h"

enum { WORDS = 24 };

/* The command's main(), under another name. */
int fuzz_command(int count, char **words);
bool fuzz_output_finish(void);

static const char *before;      /* settings in the environment */
static bool is_run, is_started; /* a command was reached; a program would have started */

const char system_mock_library[] = "libcuda.so.1", system_search_variable[] = "LD_LIBRARY_PATH";
const char system_search_separator[] = ":", system_search_forbidden[] = ":;";
const bool system_loads_kernels = true;

bool system_begin(int *count, char ***words)
{
    (void)count;
    (void)words;
    return true;
}

bool fuzz_output_finish(void)
{
    return true;
}

static char *copy(const char *text)
{
    return strcpy(fuzz_memory(strlen(text) + 1), text);
}

char *system_absolute_path(const char *path)
{
    char *absolute = fuzz_memory(strlen(path) + 2);

    sprintf(absolute, "%s%s", path[0] == '/' ? "" : "/", path);
    return absolute;
}

char *system_own_path(void)
{
    return copy("/bin/cushim");
}

bool system_file_exists(const char *path)
{
    return strlen(path) % 2;
}

/* No command writes a file in this target. */
FILE *system_new_file(const char *path, const char **why)
{
    (void)path;
    (void)why;
    return NULL;
}

bool system_is_replaceable(const char *path)
{
    (void)path;
    return false;
}

bool system_replace(const char *from, const char *path)
{
    (void)from;
    (void)path;
    return false;
}

system_function system_library_function(const char *path, const char *name)
{
    (void)path;
    (void)name;
    return NULL;
}

const char *system_get(const char *name)
{
    return strcmp(name, "CUSHIM_MOCK_SETTINGS") == 0 ? before : NULL;
}

bool system_set(const char *name, const char *value, struct failure *failure)
{
    (void)failure;
    CLAIM(name[0] && !strchr(name, '=') && value);
    return true;
}

const char *system_search_obstacle(void)
{
    return NULL;
}

void system_execute(char **words, struct failure *failure)
{
    CLAIM(words && words[0]);
    is_started = true;
    failure_set(failure, STATUS_NOT_FOUND, "", "%.160s is not started", words[0]);
}

bool system_is_terminal(FILE *stream)
{
    (void)stream;
    return false;
}

/* The promises of each option about its value: the bounds of its row. */
static void check_arguments(const struct arguments *arguments, enum command command)
{
    is_run = true;
    CLAIM(!arguments->help);
    for (const struct option *option = command_options; option->name; option++) {
        const char *field = (const char *)arguments + option->field;
        uint64_t number;

        if (option->kind != OPTION_NUMBER && option->kind != OPTION_SIZE)
            continue;
        memcpy(&number, field, sizeof number);
        CLAIM(number <= option->maximum);
        CLAIM(!(option->commands & (unsigned)command) || number >= option->minimum || number == 0);
    }
    CLAIM(!arguments->mock || !arguments->library);
    /* Fault rules are allowed for any driver. */
    CLAIM(arguments->mock || (!arguments->config && !arguments->first_setting));
}

/* What the commands do with settings before they use a driver. */
static enum status check_settings(const struct arguments *arguments, enum command command)
{
    struct failure failure = {0};
    char *settings;

    check_arguments(arguments, command);
    settings = mock_settings(arguments, NULL);
    CLAIM((settings != NULL) == (arguments->settings || arguments->quiet));
    mock_check(arguments, NULL, settings, "the options", &failure);
    CLAIM(failure.status == STATUS_DONE || failure.status == STATUS_USAGE);
    if (failure.status != STATUS_DONE)
        failure_print(&failure);
    free(settings);
    return failure.status;
}

enum status command_info(const struct arguments *arguments)
{
    return check_settings(arguments, COMMAND_INFO);
}

enum status command_probe(const struct arguments *arguments)
{
    check_arguments(arguments, COMMAND_PROBE);
    return STATUS_DONE;
}

/* cushim itself calls this with arguments; tests/probe tests it. */
enum status probe_child(int count, char **words)
{
    (void)count;
    (void)words;
    return STATUS_USAGE;
}

enum status command_time(const struct arguments *arguments)
{
    return check_settings(arguments, COMMAND_TIME);
}

enum status command_profile(const struct arguments *arguments)
{
    return check_settings(arguments, COMMAND_PROFILE);
}

enum status command_symbols(const struct arguments *arguments)
{
    check_arguments(arguments, COMMAND_SYMBOLS);
    return STATUS_DONE;
}

enum status command_trace(const struct arguments *arguments)
{
    check_arguments(arguments, COMMAND_TRACE);
    CLAIM(arguments->output);
    CLAIM(arguments->convert ? arguments->trace && !arguments->program
                             : !arguments->trace && arguments->program);
    return STATUS_DONE;
}

enum status command_check(const struct arguments *arguments)
{
    check_arguments(arguments, COMMAND_CHECK);
    CLAIM(arguments->program && arguments->error_status <= 255);
    return STATUS_DONE;
}

enum status command_symbolize(const struct arguments *arguments)
{
    check_arguments(arguments, COMMAND_SYMBOLIZE);
    CLAIM(arguments->file_count >= 0);
    return STATUS_DONE;
}

int run_reported(const struct arguments *arguments, const struct run_report *report,
                 struct failure *failure)
{
    CLAIM(report->variable && report->nothing);
    CLAIM(arguments->report || arguments->error_status);
    CLAIM(arguments->error_status <= 255);
    system_execute(arguments->program, failure);
    return STATUS_DONE;
}

/*
 * The exit status is one that docs/cushim.1 lists, and standard output has only what was requested.
 */
static void check_status(int status, const char *out, const char *error)
{
    CLAIM(status == STATUS_DONE || status == STATUS_FAILED || status == STATUS_USAGE ||
          status == STATUS_NO_LIBRARY || status == STATUS_NOT_FOUND);
    CLAIM(!is_started || status == STATUS_NOT_FOUND);
    CLAIM(status == STATUS_DONE || out[0] == '\0' || out[0] == '{');
    CLAIM(status == STATUS_DONE || error[0] || out[0] == '{');
    CLAIM(status != STATUS_DONE || error[0] == '\0');
    CLAIM(status != STATUS_DONE || out[0] || is_run);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input input = {data, size};
    struct fuzz_output out, error;
    char *words[WORDS + 2], *kept[WORDS + 1], *environment = fuzz_text(&input), *texts[2];
    bool is_known = !fuzz_names_device(environment);
    int count = 1, status;

    words[0] = kept[0] = copy("cushim");
    while (count <= WORDS && input.left) {
        words[count] = kept[count] = fuzz_text(&input);
        is_known = is_known && !fuzz_names_device(words[count]);
        count++;
    }
    words[count] = NULL;
    if (is_known) {
        before = environment[0] ? environment : NULL;
        is_run = is_started = false;
        fuzz_output_begin(&out, stdout);
        fuzz_output_begin(&error, stderr);
        status = fuzz_command(count, words);
        texts[1] = fuzz_output_end(&error);
        texts[0] = fuzz_output_end(&out);
        check_status(status, texts[0], texts[1]);
        free(texts[0]);
        free(texts[1]);
    }
    while (count-- > 0)
        free(kept[count]);
    free(environment);
    return 0;
}
