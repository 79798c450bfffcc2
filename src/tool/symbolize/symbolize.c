/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `cushim symbolize`: copies a text, and turns `program+0x1189` into `main (main.c:12)`. Messages
 * contain addresses because the libraries start no process that could look them up.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/tool/base/arguments.h"
#include "src/tool/base/output.h"
#include "src/tool/symbolize/symbolizer.h"

/* Longer lines are read in parts; an address that lies across two parts is not replaced. */
enum { LINE_SIZE = 65536, NAME_SIZE = 64, DIGITS = 16 };

static bool is_of_name(char byte)
{
    return byte &&
           strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+-@~", byte);
}

static int digit_of(char byte)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = byte ? strchr(digits, byte) : NULL;

    return at ? (int)(at - digits) : -1;
}

/* Copy the module name that ends at `end`, not before `start`. Returns false if there is none. */
static bool read_name(const char *start, const char *end, char *name)
{
    const char *from = end;

    while (from > start && is_of_name(from[-1]))
        from--;
    /* After a slash it is part of a path, and messages name modules without one. */
    if (from == end || end - from >= NAME_SIZE || (from > start && from[-1] == '/'))
        return false;
    memcpy(name, from, (size_t)(end - from));
    name[end - from] = '\0';
    return true;
}

/* Users of addr2line may name a program. No text begins with the first byte of an ELF file. */
static bool is_program(FILE *file)
{
    return ungetc(getc(file), file) == 0x7f;
}

/* Print a line with its addresses replaced. */
static void print_line(const char *folder, const char *line, size_t length)
{
    const char *done = line, *end = line + length;
    char name[NAME_SIZE], place[1700];

    for (const char *at = line; at + 4 <= end; at++) {
        const char *last = at + 3;
        uint64_t offset = 0;

        if (memcmp(at, "+0x", 3) != 0)
            continue;
        while (last < end && last - (at + 3) < DIGITS && digit_of(*last) >= 0)
            offset = offset << 4 | (uint64_t)digit_of(*last++);
        if (last == at + 3 || (last < end && is_of_name(*last)) || !read_name(done, at, name) ||
            !symbolizer_find(folder, name, offset, place, sizeof place))
            continue;
        fwrite(done, 1, (size_t)(at - strlen(name) - done), stdout);
        fputs(place, stdout);
        done = last;
        at = last - 1;
    }
    fwrite(done, 1, (size_t)(end - done), stdout);
}

static void print_file(const char *folder, FILE *file)
{
    char *line = output_memory(LINE_SIZE);
    size_t length = 0;
    int byte;

    while ((byte = getc(file)) != EOF) {
        line[length++] = (char)byte;
        if (byte != '\n' && length < LINE_SIZE)
            continue;
        print_line(folder, line, length);
        fflush(stdout); /* the program that writes the text may still be running */
        length = 0;
    }
    print_line(folder, line, length);
    free(line);
}

enum status command_symbolize(const struct arguments *arguments)
{
    const char *folder = arguments->library; /* --folder */
    struct failure failure = {0};
    const char *obstacle = symbolizer_obstacle();

    if (obstacle)
        failure_set(&failure, STATUS_FAILED, "Install GNU binutils or LLVM.", "%s", obstacle);
    if (failure.status == STATUS_DONE && arguments->file_count == 0)
        print_file(folder, stdin);
    for (int i = 0; failure.status == STATUS_DONE && i < arguments->file_count; i++) {
        FILE *file = fopen(arguments->files[i], "rb");

        if (file && is_program(file))
            failure_set(&failure, STATUS_FAILED,
                        "Give the text that it printed, or pipe it in: "
                        "./program 2>&1 | cushim symbolize",
                        "%.160s is a program", arguments->files[i]);
        else if (file)
            print_file(folder, file);
        else
            failure_set(&failure, STATUS_FAILED, "", "%.160s cannot be read: %s",
                        arguments->files[i], strerror(errno));
        if (file)
            fclose(file);
    }
    symbolizer_end();
    if (failure.status != STATUS_DONE)
        failure_print(&failure);
    return failure.status;
}
