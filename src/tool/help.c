/* SPDX-License-Identifier: Apache-2.0 */
#include "src/tool/help.h"
#include "loader/symbols.h"

#include <stdio.h>
#include <string.h>

#include <cuda.h>

#include <cushim/table.h>

#include "src/tool/trap.h"

enum { MARGIN = 4, COLUMN = 20, WIDTH = 79 };

/* A word or a number, and what it means. */
struct entry {
    const char *name;
    const char *text;
};

static const char json_description[] =
    "info prints an object with the members simulated, mock, report, traps and devices; time one "
    "with simulated, mock, report, device, elapsed_function, bytes, repeat, warmup_rounds, "
    "rounds, interrupted, minimum_ms, median_ms, maximum_ms and bandwidth_bytes_per_second; probe "
    "one with verdict, reason, advice, stage, state, code, code_name, driver_version, "
    "device_count, library, exit_status, signal and unreaped_pid, of which the last three are "
    "null where there is none, and code and code_name where the driver has not answered; symbols "
    "one with symbols, or for a LIBRARY one with library, has, lacks and besides: besides is of "
    "names, the others are of objects with symbol, since (13010 is CUDA 13.1) and group. "
    "simulated is true if the mock driver answered, and mock is the line that says which it is, "
    "else null. After a failure the member error stands beside simulated, mock, report (and "
    "devices) in the place of the results: kind (failed, no-driver, no-device, hung, "
    "crashed, usage or interrupted), message, advice, and the call that failed, a function of cushim or of the "
    "driver, with its code and code_name, each null if there is none. A command line or a LIBRARY "
    "that cannot be read gives the error alone. Each of traps has a name, a message, the evidence and an "
    "advice. Members and traps may be added in later versions, but none is renamed.";

enum {
    DRIVER = COMMAND_INFO | COMMAND_TIME | COMMAND_PROFILE,
    ALL = DRIVER | COMMAND_RUN | COMMAND_PROBE | COMMAND_SYMBOLS,
};

/* An exit status, and the commands that have it. */
struct status_entry {
    unsigned commands;
    const char *name;
    const char *text;
};

static const struct status_entry statuses[] = {
    {COMMAND_INFO | COMMAND_PROBE, "0", "There is at least one device."},
    {COMMAND_TIME | COMMAND_PROFILE | COMMAND_SYMBOLS, "0", "Done."},
    {DRIVER, "1",
     "A call of the driver failed, or the output could not be written, or the command was started "
     "with more rights than its user has (set-user-ID and its like)."},
    {COMMAND_PROBE, "1",
     "The probe could not be made, cuDeviceGetCount failed, the output could not be written, or the "
     "command was started with more rights than its user has."},
    {COMMAND_SYMBOLS, "1",
     "The output could not be written, or the command was started with more rights than its user "
     "has."},
    {COMMAND_SYMBOLS, "2", "LIBRARY cannot be read, or is not the library of a driver."},
    {DRIVER | COMMAND_PROBE, "2",
     "There is no driver, or what was found in its place cannot be used."},
    {DRIVER | COMMAND_PROBE, "3",
     "There is a driver but no device: cuInit failed, or it found none."},
    {COMMAND_INFO | COMMAND_PROBE, "4", "The driver hung: it had not come back in time."},
    {COMMAND_INFO | COMMAND_PROBE, "5",
     "The driver crashed, or ended or garbled the process that tried it."},
    {DRIVER | COMMAND_RUN, "64", "The command line is wrong, or the settings of the mock driver."},
    {COMMAND_PROBE | COMMAND_SYMBOLS, "64", "The command line is wrong."},
    {COMMAND_RUN, "125",
     "The mock driver's library was not found, or the command was started with more rights than its "
     "user has."},
    {COMMAND_RUN, "126", "The program was found, but cannot be executed."},
    {COMMAND_RUN, "127", "The program was not found."},
    {COMMAND_TIME, "130", "Interrupted by Ctrl-C."},
    {COMMAND_RUN, "others", "The program's, once it has started."},
};

static const struct entry variables[] = {
    {"CUSHIM_LIBRARY", "Absolute path of the driver library to take, or none to act as on a "
                       "machine without a driver. The option --library comes first."},
    {"CUDA_VISIBLE_DEVICES", "Read by the driver, and by the mock driver: the devices that the "
                             "command may use."},
    {"CUSHIM_MOCK_CONFIG", "Read by the mock driver that run puts in the place of libcuda.so.1: a "
                           "file of settings. The option --config replaces it."},
    {"CUSHIM_MOCK_SETTINGS",
     "The same, for settings themselves, one on each line. Of a key that the options set too, the "
     "option counts."},
};

static const struct entry examples[] = {
    {"cushim info", "Is there a driver, and if not, why?"},
    {"cushim probe --timeout 5 || echo no GPU today",
     "Can the driver be used? One that hangs is given five seconds."},
    {"cushim time --bytes 1G --repeat 20", "Time 20 rounds of 1 GiB."},
    {"cushim time --json --library ./libcuda.so.1", "Time another driver, for a program."},
    {"cushim info --mock --set devices=2", "What a program sees of the mock driver."},
    {"cushim profile --output gpu.profile", "Take this GPU along, for the mock driver."},
    {"cushim symbols --since 13.1", "What came with CUDA 13.1 and later."},
    {"cushim symbols /usr/lib/x86_64-linux-gnu/libcuda.so.1",
     "What does this driver have of the driver API?"},
    {"cushim run --devices 2 -- ./program", "Start a program that finds two simulated GPUs."},
    {"cushim run --set profile=./gpu.profile -- ./program",
     "Start a program that finds the GPU of a profile."},
    {"cushim run --fault 'cuMemAlloc_v2:nth=3 => out_of_memory' -- ./program",
     "Start a program whose third allocation fails."},
    {"timeout 60 cushim run --fault 'op.kernel:nth=1 => hang' -- ./program",
     "Start a program whose first kernel never ends, and do not wait for ever."},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/*
 * Words, wrapped; the cursor stands at `column`, and lines begin at `indent`. Returns where the
 * cursor is then, so that more words can follow.
 */
static int wrap(int column, int indent, const char *text)
{
    bool is_first = column == indent;

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
    return column;
}

static void put_heading(const char *heading)
{
    printf("\n%s\n", heading);
}

static void put_paragraph(const char *text)
{
    printf("%*s", MARGIN, "");
    wrap(MARGIN, MARGIN, text);
    putchar('\n');
}

/* A name in the margin; its text goes into the column, or below if the name is too long for that.
 * Returns the column. */
static int put_name(const char *name, const char *value)
{
    int at = printf("%*s%s%s%s", MARGIN, "", name, value ? " " : "", value ? value : "");

    if (at > COLUMN - 2) {
        putchar('\n');
        at = 0;
    }
    printf("%*s", COLUMN - at, "");
    return COLUMN;
}

static void put_entry(const char *name, const char *value, const char *text)
{
    wrap(put_name(name, value), COLUMN, text);
    putchar('\n');
}

static void put_entries(const char *heading, const struct entry *entries, size_t count)
{
    put_heading(heading);
    for (size_t i = 0; i < count; i++)
        put_entry(entries[i].name, NULL, entries[i].text);
}

/* The traps that info looks for. */
static void put_traps(void)
{
    put_heading("TRAPS");
    for (const struct trap_row *row = trap_rows; row->name; row++)
        put_entry(row->name, NULL, row->message);
}

/* `info, time: `, in front of what only these commands have. */
static const char *put_names(char *buffer, size_t size, unsigned set)
{
    size_t length = 0;

    buffer[0] = '\0';
    for (const struct command_row *row = commands; row->name && length < size; row++) {
        if (set & (unsigned)row->command)
            length += (size_t)snprintf(buffer + length, size - length, "%s%s", length ? ", " : "",
                                       row->name);
    }
    if (length < size)
        snprintf(buffer + length, size - length, ": ");
    return buffer;
}

/* The exit statuses of one command, or those of all with the names of the commands. */
static void put_statuses(const struct command_row *row)
{
    char names[64];
    int column = 0;

    put_heading("EXIT STATUS");
    for (size_t i = 0; i < COUNT(statuses); i++) {
        const struct status_entry *entry = &statuses[i];
        const bool is_all = row || entry->commands == ALL;
        if (row && !(entry->commands & (unsigned)row->command))
            continue;
        if (column == 0)
            column = put_name(entry->name, NULL);
        if (!is_all)
            column = wrap(column, COLUMN, put_names(names, sizeof names, entry->commands));
        column = wrap(column, COLUMN, entry->text);
        /* Of several for one status, the whole manual makes one entry. */
        if (!row && i + 1 < COUNT(statuses) && strcmp(entry[1].name, entry->name) == 0)
            continue;
        putchar('\n');
        column = 0;
    }
}

/* A part of a synopsis, on the next line if it does not fit this one. Returns the new column. */
static int put_part(int column, const char *part)
{
    const int length = (int)strlen(part);

    if (column + 1 + length <= WIDTH)
        return column + printf(" %s", part);
    return printf("\n%*s%s", 2 * MARGIN, "", part) - 1;
}

static void put_synopsis(const struct command_row *row)
{
    int column = printf("%*scushim %s", MARGIN, "", row->name);
    char part[64];

    for (const struct option *option = arguments_options; option->name; option++) {
        if (!(option->commands & (unsigned)row->command) || strcmp(option->name, "--help") == 0)
            continue;
        snprintf(part, sizeof part, "[%s%s%s]%s", option->name, option->value ? " " : "",
                 option->value ? option->value : "", option->is_repeated ? "..." : "");
        column = put_part(column, part);
    }
    if (row->operands)
        put_part(column, row->operands);
    putchar('\n');
}

static void put_options(const char *heading, const struct command_row *row)
{
    put_heading(heading);
    for (const struct option *option = arguments_options; option->name; option++) {
        if (option->commands & (unsigned)row->command)
            put_entry(option->name, option->value, option->help);
    }
}

/* `COMMAND INFO`: a heading for each command. */
static const char *heading_of(char *buffer, size_t size, const char *what,
                              const struct command_row *row)
{
    size_t length = (size_t)snprintf(buffer, size, "%s %s", what, row->name);

    for (char *next = buffer + length - strlen(row->name); *next; next++) {
        if (*next >= 'a' && *next <= 'z')
            *next = (char)(*next - 'a' + 'A');
    }
    return buffer;
}

static void put_help_synopsis(void)
{
    printf("%*scushim help [", MARGIN, "");
    for (const struct command_row *row = commands; row->name; row++)
        printf("%s%s", row == commands ? "" : "|", row->name);
    puts("]");
}

void help_command(const struct command_row *row)
{
    puts("SYNOPSIS");
    put_synopsis(row);
    put_heading("DESCRIPTION");
    put_paragraph(row->description);
    put_options("OPTIONS", row);
    if (row->command == COMMAND_INFO)
        put_traps();
    put_statuses(row);
}

void help_manual(void)
{
    char heading[32];

    puts("NAME");
    put_paragraph(
        "cushim - tell whether the NVIDIA CUDA driver works here, time it, or do without");
    put_heading("SYNOPSIS");
    for (const struct command_row *row = commands; row->name; row++)
        put_synopsis(row);
    put_help_synopsis();
    put_paragraph("cushim --help");
    put_paragraph("cushim --version");
    put_heading("DESCRIPTION");
    put_paragraph("Opens the driver's library at run time, as programs that use cushim do, so it "
                  "starts on any machine and tells what is the matter where there is no driver. "
                  "Where there is none, its mock driver can stand in: a simulated GPU.");
    for (const struct command_row *row = commands; row->name; row++) {
        put_heading(heading_of(heading, sizeof heading, "COMMAND", row));
        put_paragraph(row->description);
    }
    for (const struct command_row *row = commands; row->name; row++)
        put_options(heading_of(heading, sizeof heading, "OPTIONS OF", row), row);
    put_traps();
    put_heading("JSON");
    put_paragraph(json_description);
    put_statuses(NULL);
    put_entries("ENVIRONMENT", variables, COUNT(variables));
    put_entries("EXAMPLES", examples, COUNT(examples));
}

void help_version(void)
{
    int newest = 0;

    for (size_t i = 0; i < cushim_symbol_count(); i++) {
        if (cushim__symbol_since(i) > newest)
            newest = cushim__symbol_since(i);
    }
    printf("cushim %s\n", CUSHIM_VERSION);
    printf("registry: CUDA %d.%d, %zu symbols\n", newest / 1000, newest % 1000 / 10,
           cushim_symbol_count());
    printf("headers: CUDA %d.%d\n", CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10);
}
