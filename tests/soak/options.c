/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "soak.h"

enum { USAGE = 64 };

static const char help[] =
    "  --threads N      threads at work, 1 to 64\n"
    "  --seconds N      how long each round is measured, after a warm-up of a fifth of it\n"
    "  --operations N   measure so many operations in place of a time\n"
    "  --leak N         forget every Nth event: the soak has to fail\n"
    "  --counts-only    do not judge the host's memory (under a sanitizer, which keeps it)\n"
    "  --json           one line of JSON\n"
    "\n"
    "Exit status 0: all calls answered what they had to, and all figures stayed flat; 1: not so;\n"
    "64: wrong usage; 77: there is no driver or no device.\n";

/* A number behind an option; false: there is none, or it is out of range. */
static bool read_number(const char *text, double least, double most, double *number)
{
    char *end;

    if (!text)
        return false;
    errno = 0;
    *number = strtod(text, &end);
    return errno == 0 && end != text && *end == '\0' && *number >= least && *number <= most;
}

int soak_options_read(struct soak_options *options, int count, char **arguments,
                      const char *description)
{
    for (int i = 1; i < count; i++) {
        const char *name = arguments[i];
        double number;

        if (strcmp(name, "--help") == 0) {
            printf("usage: %s [OPTION]...\n%s\n\n%s", arguments[0], description, help);
            return 0;
        }
        if (strcmp(name, "--json") == 0) {
            options->json = true;
        } else if (strcmp(name, "--counts-only") == 0) {
            options->counts_only = true;
        } else if (strcmp(name, "--threads") == 0 &&
                   read_number(arguments[i + 1], 1, GANG_MOST, &number)) {
            options->threads = (unsigned)number;
            i++;
        } else if (strcmp(name, "--seconds") == 0 &&
                   read_number(arguments[i + 1], 0.1, 1e6, &number)) {
            options->seconds = number;
            options->operations = 0;
            i++;
        } else if (strcmp(name, "--operations") == 0 &&
                   read_number(arguments[i + 1], 1000, 1e15, &number)) {
            options->operations = (uint64_t)number;
            options->seconds = 0;
            i++;
        } else if (strcmp(name, "--leak") == 0 && read_number(arguments[i + 1], 1, 1e9, &number)) {
            options->leak = (unsigned)number;
            i++;
        } else {
            fprintf(stderr, "%s: %s: there is no such option, or its number is wrong\n",
                    arguments[0], name);
            return USAGE;
        }
    }
    return -1;
}
