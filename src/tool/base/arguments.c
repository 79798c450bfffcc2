/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options of the commands, and the parser that looks each word of the command line up in them.
 */
#include "src/tool/base/arguments.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/key_values.h"
#include "src/driver_api/suggestion.h"
#include "src/tool/base/output.h"

#define MILLISECOND UINT64_C(1000000)
#define FIELD(name) offsetof(struct arguments, name)

enum {
    TRACED = COMMAND_TRACE | COMMAND_CHECK, /* start a program over a driver, or over the mock */
    MOCKED = COMMANDS_OF_DRIVER | COMMAND_RUN | TRACED,
    OPERANDS = COMMAND_SYMBOLIZE | COMMAND_SYMBOLS, /* take words that are no options */
};

const struct option command_options[] = {
    {"--bytes", OPTION_SIZE, COMMAND_TIME, .field = FIELD(bytes), .minimum = 1,
     .maximum = UINT64_C(1) << 50},
    {"--repeat", OPTION_NUMBER, COMMAND_TIME, .field = FIELD(repeat), .minimum = 1,
     .maximum = 1000000},
    {"--device", OPTION_NUMBER, COMMAND_TIME | COMMAND_PROFILE, .field = FIELD(device),
     .maximum = INT_MAX},
    {"--name", OPTION_PATH, COMMAND_PROFILE, .field = FIELD(name),
     .expected = "the name of a device"},
    {"--output", OPTION_PATH, COMMAND_PROFILE | COMMAND_TRACE, .field = FIELD(output),
     .expected = "the path of a file to write"},
    {"--timeout", OPTION_DURATION, COMMAND_INFO | COMMAND_PROBE, .field = FIELD(timeout_ns),
     .minimum = MILLISECOND, .maximum = 86400 * 1000 * MILLISECOND,
     .expected = "a duration from 1 ms to 86400 s, such as 500ms or 10s"},
    {"--library", OPTION_PATH, COMMANDS_OF_DRIVER | COMMAND_PROBE | TRACED, .field = FIELD(library),
     .expected = "the path of a driver library"},
    {"--mock", OPTION_FLAG, COMMANDS_OF_DRIVER | TRACED, .field = FIELD(mock)},
    {"--allow-mock", OPTION_FLAG, COMMAND_PROBE, .field = FIELD(is_mock_allowed)},
    {"--look-in", OPTION_SETTING, COMMAND_INFO, .field = FIELD(folders),
     .expected = "a folder in which a driver library may be"},
    {"--devices", OPTION_SETTING, MOCKED, .field = FIELD(settings), .key = "devices",
     .expected = "how many devices the mock driver has"},
    {"--driver-version", OPTION_SETTING, MOCKED, .field = FIELD(settings), .key = "driver_version",
     .expected = "a version of CUDA, such as 12.8"},
    {"--config", OPTION_PATH, MOCKED, .field = FIELD(config),
     .expected = "the path of a file of settings"},
    {"--set", OPTION_SETTING, MOCKED, .field = FIELD(settings),
     .expected = "a setting of the mock driver, such as mode=threaded"},
    {"--fault", OPTION_SETTING, COMMAND_RUN | TRACED, .field = FIELD(settings), .key = "fault",
     .expected = "a rule of faults, such as 'cuMemAlloc_v2:nth=3 => return(OUT_OF_MEMORY)'"},
    {"--kernels", OPTION_PATH, COMMAND_RUN, .field = FIELD(kernels),
     .expected = "the path of a library that registers kernels"},
    {"--library", OPTION_PATH, COMMAND_RUN, .field = FIELD(library),
     .expected = "the folder of the mock driver's libcuda.so.1"},
    {"--real", OPTION_FLAG, COMMAND_RUN, .field = FIELD(real)},
    {"--quiet", OPTION_FLAG, COMMAND_RUN | TRACED, .field = FIELD(quiet)},
    {"--device-times", OPTION_SETTING, COMMAND_TRACE, .field = FIELD(trace_settings),
     .key = "device_times", .expected = "on or off"},
    {"--calls", OPTION_SETTING, COMMAND_TRACE, .field = FIELD(trace_settings), .key = "calls",
     .expected = "names of functions, such as cuMem*,cuLaunch*"},
    {"--delay", OPTION_SETTING, COMMAND_TRACE, .field = FIELD(trace_settings), .key = "delay",
     .expected = "a duration, such as 250 ms or 10 s"},
    {"--duration", OPTION_SETTING, COMMAND_TRACE, .field = FIELD(trace_settings), .key = "duration",
     .expected = "a duration, such as 250 ms or 10 s"},
    {"--buffer", OPTION_SETTING, COMMAND_TRACE, .field = FIELD(trace_settings), .key = "buffer",
     .expected = "a size, such as 256 MiB"},
    {"--from-profiler", OPTION_FLAG, COMMAND_TRACE, .field = FIELD(trace_settings),
     .key = "from_profiler"},
    {"--level", OPTION_SETTING, COMMAND_CHECK, .field = FIELD(check_settings), .key = "level",
     .expected = "error, warning or advice"},
    {"--leaks", OPTION_FLAG, COMMAND_CHECK, .field = FIELD(check_settings), .key = "leaks"},
    {"--let-through", OPTION_FLAG, COMMAND_CHECK, .field = FIELD(check_settings),
     .key = "let_through"},
    {"--promise", OPTION_SETTING, COMMAND_CHECK, .field = FIELD(check_settings), .key = "promise",
     .expected = "a version of CUDA, such as 12.2"},
    {"--expect", OPTION_SETTING, COMMAND_CHECK, .field = FIELD(check_settings), .key = "expect",
     .expected = "an id and a number, such as CUSHIM-event-destroyed:1"},
    {"--suppressions", OPTION_PATH, COMMAND_CHECK, .field = FIELD(suppressions),
     .expected = "the path of a file of suppressions"},
    {"--error-exitcode", OPTION_NUMBER, COMMAND_RUN | COMMAND_CHECK, .field = FIELD(error_status),
     .minimum = 1, .maximum = 255},
    {"--report", OPTION_PATH, COMMAND_RUN | COMMAND_CHECK, .field = FIELD(report),
     .expected = "the path of a file to write, .json or .xml"},
    {"--report", OPTION_PATH, COMMAND_INFO, .field = FIELD(report),
     .expected = "the path of a file to write, .json or text"},
    {"--uuids", OPTION_FLAG, COMMAND_INFO, .field = FIELD(has_uuids)},
    {"--folder", OPTION_PATH, COMMAND_SYMBOLIZE, .field = FIELD(library),
     .expected = "the folder of programs and libraries"},
    {"--since", OPTION_VERSION, COMMAND_SYMBOLS, .field = FIELD(since),
     .expected = "a version of CUDA, such as 12.8"},
    {"--until", OPTION_VERSION, COMMAND_SYMBOLS, .field = FIELD(until),
     .expected = "a version of CUDA, such as 12.8"},
    {"--cuda", OPTION_VERSION, COMMAND_SYMBOLS, .field = FIELD(cuda),
     .expected = "a version of CUDA, such as 12.8"},
    {"--json", OPTION_FLAG, COMMAND_INFO | COMMAND_TIME | COMMAND_PROBE | COMMAND_SYMBOLS,
     .field = FIELD(json)},
    {"--help", OPTION_FLAG, COMMANDS_ALL, .field = FIELD(help)},
    {0},
};

struct parser {
    struct arguments *arguments;
    const struct command_row *row;
    struct failure *failure;
};

/* The %s is the name of the command. */
static const char advice_format[] = "Read the manual with `cushim help %s`.";

/* `word` is the one that is wrong, and `expected` describes a right one; each may be NULL. */
static void complain(const struct parser *parser, const char *subject, const char *problem,
                     const char *word, const char *expected)
{
    char advice[64];

    snprintf(advice, sizeof advice, advice_format, parser->row->name);
    failure_set(parser->failure, STATUS_USAGE, advice, "%s %s%s%.160s%s%s%s", subject, problem,
                word ? " '" : "", word ? word : "", word ? "'" : "", expected ? ": expected " : "",
                expected ? expected : "");
}

/* What a value of this option must look like; `value`, unless NULL, is one that does not. */
static const char *expectation(const struct option *option, const char *value, char *buffer,
                               size_t size)
{
    if (option->kind == OPTION_NUMBER)
        snprintf(buffer, size, "a whole number from %" PRIu64 " to %" PRIu64, option->minimum,
                 option->maximum);
    else if (option->kind == OPTION_SIZE)
        snprintf(buffer, size,
                 "a number of bytes from %" PRIu64 " to %" PRIu64
                 "G, such as 4096, 64K, 256M or 2G",
                 option->minimum, option->maximum >> 30);
    else if (option->kind == OPTION_DURATION && value)
        snprintf(buffer, size, "%s%s", option->expected,
                 cushim__duration_hint(&(struct cushim__word){value, strlen(value)}).text);
    else
        return option->expected;
    return buffer;
}

/* Read a value as settings and fault rules have it. */
static bool read_value(const struct option *option, const char *text, uint64_t *number)
{
    const struct cushim__word word = cushim__word_trimmed(text, text + strlen(text));
    int version = 0;

    if (option->kind == OPTION_SIZE)
        return cushim__value_size(&word, number);
    if (option->kind == OPTION_DURATION)
        return cushim__value_duration(&word, number);
    if (option->kind == OPTION_NUMBER)
        return cushim__value_number(&word, number);
    *number = cushim__value_version(&word, &version) ? (uint64_t)version : 0;
    return version > 0;
}

/* Append a line to a text, with or without a key. */
static void add_line(char **text, const char *key, const char *value)
{
    char *before = *text;
    const char *between = key ? " = " : "";
    const size_t size =
        (before ? strlen(before) : 0) + (key ? strlen(key) : 0) + strlen(value) + sizeof " = \n";

    *text = output_memory(size);
    snprintf(*text, size, "%s%s%s%s\n", before ? before : "", key ? key : "", between, value);
    free(before);
}

/* A fault rule can apply to a real driver as well, which takes no other setting. */
static void add_setting(struct arguments *arguments, const struct option *option, const char *value)
{
    void *field = (char *)arguments + option->field;

    add_line(field, option->key, value);
    if (field != &arguments->settings)
        return;
    if (option->key && strcmp(option->key, "fault") == 0)
        add_line(&arguments->faults, NULL, value);
    else if (!arguments->first_setting)
        arguments->first_setting = option->name;
}

static bool take_value(const struct parser *parser, const struct option *option, const char *value)
{
    struct arguments *arguments = parser->arguments;
    char *field = (char *)arguments + option->field;
    const char *problem = "cannot be";
    char buffer[160];
    uint64_t number;

    if (option->kind == OPTION_PATH) {
        memcpy(field, &value, sizeof value);
        return true;
    }
    if (option->kind == OPTION_SETTING) {
        if (!strchr(value, '\n')) {
            add_setting(arguments, option, value);
            return true;
        }
        problem = "takes one line, but was given";
    } else if (read_value(option, value, &number)) {
        if (option->kind == OPTION_VERSION ||
            (number >= option->minimum && number <= option->maximum)) {
            memcpy(field, &number, sizeof number);
            return true;
        }
        problem = "is out of range with";
    }
    complain(parser, option->name, problem, value,
             expectation(option, value, buffer, sizeof buffer));
    return false;
}

/* The option that a word names, with or without `=value` behind it. */
static const struct option *find(const struct parser *parser, const char *word)
{
    size_t length;

    if (strcmp(word, "-h") == 0)
        word = "--help";
    length = strcspn(word, "=");
    for (const struct option *option = command_options; option->name; option++) {
        if (option->commands & (unsigned)parser->row->command && strlen(option->name) == length &&
            strncmp(option->name, word, length) == 0)
            return option;
    }
    return NULL;
}

/* Report a word that looks like an option but is none of the command's. */
static void complain_of_option(const struct parser *parser, const char *word)
{
    struct cushim__suggestion suggestion;
    char advice[64];

    cushim__suggestion_begin(&suggestion, &(struct cushim__word){word, strcspn(word, "=")});
    for (const struct option *option = command_options; option->name; option++) {
        if (option->commands & (unsigned)parser->row->command)
            cushim__suggestion_offer(&suggestion, option->name);
    }
    snprintf(advice, sizeof advice, advice_format, parser->row->name);
    if (parser->row->command == COMMAND_PROBE && strcmp(word, "--mock") == 0)
        strcpy(advice, "Type `cushim run -- cushim probe --allow-mock`.");
    failure_set(parser->failure, STATUS_USAGE, advice, "%s has no option '%.160s'%s%s%s",
                parser->row->name, word, suggestion.name ? "; did you mean " : "",
                suggestion.name ? suggestion.name : "", suggestion.name ? "?" : "");
}

/* Read one option or operand. Returns how many words it took, or 0 after a failure. */
static int take_word(const struct parser *parser, const char *word, const char *next)
{
    struct arguments *arguments = parser->arguments;
    const struct option *option = find(parser, word);
    const char *value = strchr(word, '=');
    char buffer[160];

    if (!option && arguments->convert && word[0] != '-' && !arguments->trace) {
        arguments->trace = word;
        return 1;
    }
    if (!option) {
        if (word[0] == '-' && word[1])
            complain_of_option(parser, word);
        else
            complain(parser, parser->row->name, "takes no argument", word, NULL);
        return 0;
    }
    if (option->kind == OPTION_FLAG) {
        if (value) {
            complain(parser, option->name, "takes no value, but was given", value + 1, NULL);
            return 0;
        }
        if (option->key)
            add_setting(arguments, option, "on");
        else
            *(bool *)((char *)arguments + option->field) = true;
        return 1;
    }
    if (value)
        return take_value(parser, option, value + 1) ? 1 : 0;
    if (!next || strncmp(next, "--", 2) == 0) {
        complain(parser, option->name, "lacks its value", NULL,
                 expectation(option, NULL, buffer, sizeof buffer));
        return 0;
    }
    return take_value(parser, option, next) ? 2 : 0;
}

static bool starts_program(const struct parser *parser)
{
    return (unsigned)parser->row->command & (COMMAND_RUN | TRACED) && !parser->arguments->convert;
}

static void check_trace(const struct parser *parser)
{
    struct arguments *arguments = parser->arguments;

    if (arguments->convert && !arguments->trace)
        complain(parser, "trace convert", "lacks the file", NULL,
                 "cushim trace convert FILE [--output FILE]");
    if (arguments->convert &&
        (arguments->trace_settings || arguments->settings || arguments->mock || arguments->library))
        complain(parser, "trace convert", "takes no option but --output", NULL, NULL);
    if (!arguments->output)
        arguments->output = arguments->convert ? "-" : "cushim-trace.html";
}

/* Refuse options that exclude one another, although each is valid by itself. */
static void check_together(const struct parser *parser)
{
    struct arguments *arguments = parser->arguments;
    char usage[80];

    if (arguments->help)
        return;
    if (starts_program(parser) && !arguments->program) {
        snprintf(usage, sizeof usage, "cushim %s [OPTIONS] -- PROGRAM [ARGUMENT...]",
                 parser->row->name);
        complain(parser, parser->row->name, "lacks the program to start", NULL, usage);
    }
    if (arguments->real && (arguments->report || arguments->error_status))
        complain(parser, arguments->report ? "--report" : "--error-exitcode",
                 "is of the mock driver", NULL, "no --real with it");
    if (arguments->real && arguments->kernels)
        complain(parser, "--kernels", "is of the mock driver", NULL, "no --real with it");
    if (parser->row->command == COMMAND_RUN && !arguments->real)
        return;
    if (parser->row->command == COMMAND_TRACE)
        check_trace(parser);
    if (parser->row->command == COMMAND_SYMBOLS && !arguments->cuda && arguments->file_count > 0)
        complain(parser, parser->row->name, "takes no argument", arguments->files[0],
                 "--cuda with it");
    if (arguments->cuda && (arguments->since || arguments->until))
        complain(parser, "--cuda", "takes neither --since nor --until with it", NULL, NULL);
    if (arguments->until && arguments->until < arguments->since)
        complain(parser, "--until", "is older than --since", NULL, NULL);
    if (arguments->mock && arguments->library)
        complain(parser, "--library", "names a driver, but --mock takes another", NULL, NULL);
    if (!arguments->mock && arguments->first_setting)
        complain(parser, arguments->first_setting, "is of the mock driver", NULL,
                 arguments->real ? "no --real with it" : "--mock with it");
    if (!arguments->mock && arguments->config)
        complain(parser, "--config", "is of the mock driver", NULL, "--mock with it");
}

bool arguments_read(struct arguments *arguments, const struct command_row *row, int count,
                    char **words, struct failure *failure)
{
    const struct parser parser = {arguments, row, failure};
    bool is_run;
    int own = 0, taken = 1;

    *arguments = (struct arguments){.repeat = 100};
    if (row->command == COMMAND_TRACE && count > 0 && strcmp(words[0], "convert") == 0) {
        arguments->convert = true;
        own = 1;
    }
    is_run = starts_program(&parser);
    /* A program's words, or files, begin with the first word that is no option, or after `--`. */
    for (; own < count && taken; own += taken) {
        if ((is_run || row->command & OPERANDS) &&
            (words[own][0] != '-' || strcmp(words[own], "--") == 0))
            break;
        taken = take_word(&parser, words[own], own + 1 < count ? words[own + 1] : NULL);
    }
    if (failure->status == STATUS_DONE && row->command & OPERANDS) {
        own += own < count && strcmp(words[own], "--") == 0;
        arguments->files = words + own;
        arguments->file_count = count - own;
    }
    if (is_run && failure->status == STATUS_DONE) {
        own += own < count && strcmp(words[own], "--") == 0;
        arguments->program = own < count ? words + own : NULL;
    }
    if (failure->status == STATUS_DONE)
        check_together(&parser);
    if (failure->status == STATUS_DONE)
        return true;
    for (int i = 0; i < count && !is_run; i++)
        arguments->json = arguments->json || strcmp(words[i], "--json") == 0;
    return false;
}
