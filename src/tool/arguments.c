/* SPDX-License-Identifier: Apache-2.0 */
#include "src/tool/arguments.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/tool/commands.h"
#include "src/tool/output.h"

static const struct arguments defaults = {
    .repeat = 100,
};

static const char *name_of(enum command command)
{
    const struct command_row *row = commands;

    while (row->command != command)
        row++;
    return row->name;
}

/* One word of the command line against one option. */
struct reading {
    struct arguments *arguments;
    enum command command;
    struct failure *failure;
};

/* `expected` is NULL where nothing would have been right. */
static void complain(const struct reading *reading, const char *subject, const char *problem,
                     const char *expected)
{
    const char *command = name_of(reading->command);
    char advice[64];

    snprintf(advice, sizeof advice, "Read the manual with `cushim help %s`.", command);
    failure_set(reading->failure, STATUS_USAGE, advice, "%s %s%s%s", subject, problem,
                expected ? ": expected " : "", expected ? expected : "");
}

/* What a value of this option must look like. */
static const char *expectation(const struct option *option, char *buffer, size_t size)
{
    switch (option->kind) {
    case OPTION_FLAG: /* never asked for: it has no value */
    case OPTION_PATH:
    case OPTION_SETTING:
    case OPTION_VERSION:
        return option->expected;
    case OPTION_NUMBER:
        snprintf(buffer, size, "a whole number from %" PRIu64 " to %" PRIu64, option->minimum,
                 option->maximum);
        break;
    case OPTION_SIZE:
        snprintf(buffer, size,
                 "a number of bytes from %" PRIu64 " to %" PRIu64
                 "G, such as 4096, 64K, 256M or 2G",
                 option->minimum, option->maximum >> 30);
        break;
    }
    return buffer;
}

/* Read digits, and for a size a unit. False: not of that form. Too large a number is UINT64_MAX. */
static bool read_number(const char *text, bool is_size, uint64_t *number)
{
    static const char units[] = "KMG";
    const char *next = text;
    const char *unit;
    uint64_t value = 0;
    bool is_too_large = false;

    for (; *next >= '0' && *next <= '9'; next++) {
        const uint64_t digit = (uint64_t)(*next - '0');
        is_too_large = is_too_large || value > (UINT64_MAX - digit) / 10;
        value = value * 10 + digit;
    }
    if (next == text)
        return false;
    if (*next && is_size && (unit = strchr(units, *next))) {
        const unsigned shift = 10 * (unsigned)(unit - units + 1);
        is_too_large = is_too_large || value > UINT64_MAX >> shift;
        value <<= shift;
        next++;
    }
    *number = is_too_large ? UINT64_MAX : value;
    return *next == '\0';
}

/* Read a version of CUDA as people write it. */
static bool read_version(const char *text, uint64_t *number)
{
    const size_t length = strcspn(text, ".");
    const char *minor = text[length] ? text + length + 1 : "0"; /* 13 is 13.0 */
    char major[3] = "";

    if (length == 0 || length >= sizeof major || minor[0] < '0' || minor[0] > '9' || minor[1])
        return false;
    memcpy(major, text, length);
    if (!read_number(major, false, number))
        return false;
    *number = *number * 1000 + (uint64_t)(minor[0] - '0') * 10;
    return *number > 0;
}

static void store(const struct reading *reading, const struct option *option, const void *value,
                  size_t size)
{
    memcpy((char *)reading->arguments + option->field, value, size);
}

static bool take_value(const struct reading *reading, const struct option *option,
                       const char *value)
{
    char buffer[160], problem[256];
    const char *expected = expectation(option, buffer, sizeof buffer);
    uint64_t number;

    if (option->kind == OPTION_PATH) {
        store(reading, option, &value, sizeof value);
        return true;
    }
    if (option->kind == OPTION_SETTING && !strchr(value, '\n')) {
        reading->arguments->settings[reading->arguments->setting_count++] =
            (struct setting){option, value};
        return true;
    }
    if (option->kind == OPTION_SETTING) {
        snprintf(problem, sizeof problem, "takes one line, but was given '%.160s'", value);
    } else if (option->kind == OPTION_VERSION) {
        if (read_version(value, &number)) {
            store(reading, option, &number, sizeof number);
            return true;
        }
        snprintf(problem, sizeof problem, "cannot be '%.160s'", value);
    } else if (!read_number(value, option->kind == OPTION_SIZE, &number)) {
        snprintf(problem, sizeof problem, "cannot be '%.160s'", value);
    } else if (number < option->minimum || number > option->maximum) {
        snprintf(problem, sizeof problem, "is out of range with '%.160s'", value);
    } else {
        store(reading, option, &number, sizeof number);
        return true;
    }
    complain(reading, option->name, problem, expected);
    return false;
}

/* The option that a word names, with or without `=value` behind it. */
static const struct option *find(enum command command, const char *word)
{
    const size_t length = strcspn(word, "=");

    for (const struct option *option = arguments_options; option->name; option++) {
        if (option->commands & (unsigned)command && strlen(option->name) == length &&
            strncmp(option->name, word, length) == 0)
            return option;
    }
    return NULL;
}

/* Read one option. Returns how many words it took, or 0 after a failure. */
static int take_option(const struct reading *reading, const char *word, const char *next)
{
    const struct option *option = find(reading->command, word);
    const char *value = strchr(word, '=');
    char buffer[160], problem[256];

    if (!option && reading->command == COMMAND_SYMBOLS && word[0] != '-') {
        if (reading->arguments->library) {
            snprintf(problem, sizeof problem, "takes one library at most, not also '%.160s'", word);
            complain(reading, name_of(reading->command), problem, NULL);
            return 0;
        }
        reading->arguments->library = word;
        return 1;
    }
    if (!option) {
        snprintf(problem, sizeof problem, "%s '%.160s'",
                 word[0] == '-' && word[1] ? "has no option" : "takes no argument", word);
        complain(reading, name_of(reading->command), problem, NULL);
        return 0;
    }
    if (option->kind == OPTION_FLAG) {
        const bool given = true;
        if (value) {
            snprintf(problem, sizeof problem, "takes no value, but was given '%.160s'", value + 1);
            complain(reading, option->name, problem, NULL);
            return 0;
        }
        store(reading, option, &given, sizeof given);
        return 1;
    }
    if (value)
        return take_value(reading, option, value + 1) ? 1 : 0;
    if (!next || strncmp(next, "--", 2) == 0) {
        complain(reading, option->name, "lacks its value",
                 expectation(option, buffer, sizeof buffer));
        return 0;
    }
    return take_value(reading, option, next) ? 2 : 0;
}

/* What each option allows, the others may forbid. */
static void check_together(const struct reading *reading)
{
    const struct arguments *arguments = reading->arguments;

    if (reading->command == COMMAND_RUN) {
        if (!arguments->program && !arguments->help)
            complain(reading, "run", "lacks the program to start",
                     "cushim run [OPTIONS] -- PROGRAM [ARGUMENT...]");
        return;
    }
    if (arguments->until && arguments->until < arguments->since)
        complain(reading, "--until", "is older than --since", NULL);
    if (arguments->mock && arguments->library)
        complain(reading, "--library", "names a driver, but --mock takes another", NULL);
    if (!arguments->mock && arguments->setting_count)
        complain(reading, arguments->settings[0].option->name, "is of the mock driver",
                 "--mock with it");
    if (!arguments->mock && arguments->config)
        complain(reading, "--config", "is of the mock driver", "--mock with it");
}

/* How many words belong to the command itself, and not to a program behind them. */
static int own_words(const struct reading *reading, int count, char **words)
{
    int own = 0;

    while (own < count && (reading->command != COMMAND_RUN || words[own][0] == '-')) {
        const int taken =
            reading->command == COMMAND_RUN && strcmp(words[own], "--") == 0
                ? 0
                : take_option(reading, words[own], own + 1 < count ? words[own + 1] : NULL);
        if (!taken)
            break;
        own += taken;
    }
    return own;
}

bool arguments_read(struct arguments *arguments, enum command command, int count, char **words,
                    struct failure *failure)
{
    const struct reading reading = {arguments, command, failure};
    int own;

    *arguments = defaults;
    arguments->settings = output_memory((size_t)(count + 1) * sizeof *arguments->settings);
    own = own_words(&reading, count, words);
    if (failure->status == STATUS_DONE && command == COMMAND_RUN) {
        if (own < count && strcmp(words[own], "--") == 0)
            own++;
        arguments->program = own < count ? words + own : NULL;
    }
    if (failure->status == STATUS_DONE)
        check_together(&reading);
    if (failure->status == STATUS_DONE)
        return true;
    for (int i = 0; i < count && command != COMMAND_RUN; i++) {
        if (strcmp(words[i], "--json") == 0)
            arguments->json = true;
    }
    return false;
}

void arguments_free(struct arguments *arguments)
{
    free(arguments->settings);
}
