/* SPDX-License-Identifier: Apache-2.0 */
#include "src/tool/help.h"

#include <stdio.h>
#include <string.h>

#include <cuda.h>

#include <cushim/symbol.h>

enum { MARGIN = 4, COLUMN = 20, WIDTH = 79 };

/* A word or a number, and what it means. */
struct entry {
    const char *name;
    const char *text;
};

static const char *descriptions[] = {
    [COMMAND_INFO] =
        "Prints what became of the driver: the library that was loaded, its version, how many "
        "symbols of the driver API it has, which are missing and which fall back on an older one; "
        "or why there is none, what was tried, and what to do about it. Then each device: name, "
        "UUID, compute capability, memory and PCI address.",
    [COMMAND_TIME] =
        "Times the driver at work. Each round records an event on a stream, sets bytes of device "
        "memory (cuMemsetD8Async), records a second event and waits for it. Prints the minimum, "
        "median and maximum of the elapsed time between the two, the bandwidth at the median in "
        "GB/s (10^9 bytes per second), and which function told the elapsed time. 3 untimed rounds "
        "go before the first timed one. A run of more than a second shows its progress if standard "
        "error is a terminal. Ctrl-C stops it after the current round, and what was measured until "
        "then is printed.",
};

static const char json_description[] =
    "info prints an object with the members report and devices; time one with report, device, "
    "elapsed_function, bytes, repeat, warmup_rounds, rounds, interrupted, minimum_ms, median_ms, "
    "maximum_ms and bandwidth_bytes_per_second. After a failure the member error stands beside "
    "report (and devices) in the place of the results: kind (failed, no-driver, no-device, usage "
    "or interrupted), message, advice, and the call that failed, a function of cushim or of the "
    "driver, with its code and code_name, each null if there is none. A command line that cannot "
    "be read gives the error alone. Members may be added in later versions, but none is renamed.";

static const struct entry statuses[] = {
    {"0", "Done. For info: there is at least one device."},
    {"1", "A call of the driver failed, or the output could not be written."},
    {"2", "There is no driver, or what was found in its place cannot be used."},
    {"3", "There is a driver but no device: cuInit failed, or it found none."},
    {"64", "The command line is wrong."},
    {"130", "Interrupted by Ctrl-C."},
};

static const struct entry variables[] = {
    {"CUSHIM_LIBRARY", "Absolute path of the driver library to take, or none to act as on a "
                       "machine without a driver. The option --library comes first."},
    {"CUDA_VISIBLE_DEVICES", "Read by the driver: the devices that the command may use."},
};

static const struct entry examples[] = {
    {"cushim info", "Is there a driver, and if not, why?"},
    {"cushim time --bytes 1G --repeat 20", "Time 20 rounds of 1 GiB."},
    {"cushim time --json --library ./libcuda.so.1", "Time another driver, for a program."},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Words, wrapped; the cursor stands at `column` and later lines begin at `indent`. */
static void wrap(int column, int indent, const char *text)
{
    bool is_first = true;

    while (*text) {
        const int length = (int)strcspn(text, " ");
        if (!is_first && column + 1 + length > WIDTH) {
            printf("\n%*s", indent, "");
            column = indent;
            is_first = true;
        }
        printf("%s%.*s", is_first ? "" : " ", length, text);
        column += length + (is_first ? 0 : 1);
        is_first = false;
        text += length;
        text += strspn(text, " ");
    }
    putchar('\n');
}

static void put_heading(const char *heading)
{
    printf("\n%s\n", heading);
}

static void put_paragraph(const char *text)
{
    printf("%*s", MARGIN, "");
    wrap(MARGIN, MARGIN, text);
}

/* A name in the margin and its text in the column, or below if the name is too long for that. */
static void put_entry(const char *name, const char *value, const char *text)
{
    int at = printf("%*s%s%s%s", MARGIN, "", name, value ? " " : "", value ? value : "");

    if (at > COLUMN - 2) {
        putchar('\n');
        at = 0;
    }
    printf("%*s", COLUMN - at, "");
    wrap(COLUMN, COLUMN, text);
}

static void put_entries(const char *heading, const struct entry *entries, size_t count)
{
    put_heading(heading);
    for (size_t i = 0; i < count; i++)
        put_entry(entries[i].name, NULL, entries[i].text);
}

static void put_synopsis(enum command command)
{
    printf("%*scushim %s", MARGIN, "", arguments_command_name(command));
    for (const struct option *option = arguments_options; option->name; option++) {
        if (!(option->commands & (unsigned)command) || strcmp(option->name, "--help") == 0)
            continue;
        printf(" [%s%s%s]", option->name, option->value ? " " : "",
               option->value ? option->value : "");
    }
    putchar('\n');
}

static void put_options(const char *heading, enum command command)
{
    put_heading(heading);
    for (const struct option *option = arguments_options; option->name; option++) {
        if (option->commands & (unsigned)command)
            put_entry(option->name, option->value, option->help);
    }
}

void help_command(enum command command)
{
    puts("SYNOPSIS");
    put_synopsis(command);
    put_heading("DESCRIPTION");
    put_paragraph(descriptions[command]);
    put_options("OPTIONS", command);
    put_entries("EXIT STATUS", statuses, COUNT(statuses));
}

void help_manual(void)
{
    puts("NAME");
    put_paragraph("cushim - tell whether the NVIDIA CUDA driver works here, and time it");
    put_heading("SYNOPSIS");
    put_synopsis(COMMAND_INFO);
    put_synopsis(COMMAND_TIME);
    put_paragraph("cushim help [info|time]");
    put_paragraph("cushim --help");
    put_paragraph("cushim --version");
    put_heading("DESCRIPTION");
    put_paragraph("Opens the driver's library at run time, as programs that use cushim do, so it "
                  "starts on any machine and tells what is the matter where there is no driver.");
    put_heading("COMMAND INFO");
    put_paragraph(descriptions[COMMAND_INFO]);
    put_heading("COMMAND TIME");
    put_paragraph(descriptions[COMMAND_TIME]);
    put_options("OPTIONS OF INFO", COMMAND_INFO);
    put_options("OPTIONS OF TIME", COMMAND_TIME);
    put_heading("JSON");
    put_paragraph(json_description);
    put_entries("EXIT STATUS", statuses, COUNT(statuses));
    put_entries("ENVIRONMENT", variables, COUNT(variables));
    put_entries("EXAMPLES", examples, COUNT(examples));
}

void help_version(void)
{
    int newest = 0;

    for (size_t i = 0; i < cushim_symbol_count(); i++) {
        if (cushim_symbol_since(i) > newest)
            newest = cushim_symbol_since(i);
    }
    printf("cushim %s\n", CUSHIM_VERSION);
    printf("registry: CUDA %d.%d, %zu symbols\n", newest / 1000, newest % 1000 / 10,
           cushim_symbol_count());
    printf("headers: CUDA %d.%d\n", CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10);
}
