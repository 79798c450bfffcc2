/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cushim/error.h>

enum { MOST_PRINTED = 20, COUNT_MARK = '#' };

static unsigned asserted, failed;

static bool count(bool holds)
{
    asserted++;
    if (!holds)
        failed++;
    return !holds && failed <= MOST_PRINTED;
}

bool check_code(int line, const char *text, CUresult got, CUresult want)
{
    if (count(got == want))
        detail("line %d: %s: expected %d %s, got %d %s", line, text, (int)want,
               cushim_error_name(want), (int)got, cushim_error_name(got));
    return got == want;
}

bool check_one_of(int line, const char *text, CUresult got, const int *list)
{
    char codes[100] = "";
    bool holds = false;

    for (const int *code = list; *code != -1; code++) {
        size_t length = strlen(codes);

        holds = holds || (int)got == *code;
        snprintf(codes + length, sizeof codes - length, "%s%d", code == list ? "" : ",", *code);
    }
    if (count(holds))
        detail("line %d: %s: expected one of {%s}, got %d %s", line, text, codes, (int)got,
               cushim_error_name(got));
    return holds;
}

bool check_number(int line, const char *text, long long got, long long want)
{
    if (count(got == want))
        detail("line %d: %s: expected %lld, got %lld", line, text, want, got);
    return got == want;
}

bool check_true(int line, const char *text, bool holds)
{
    if (count(holds))
        detail("line %d: not so: %s", line, text);
    return holds;
}

void check_begin(int line, const char *text, CUresult got)
{
    if (got != CUDA_SUCCESS)
        fail("line %d: the preparation %s returns %d %s", line, text, (int)got,
             cushim_error_name(got));
}

void check_add(unsigned assertions)
{
    asserted += assertions;
}

void check_peer_end(void)
{
    if (failed > 0) {
        fflush(NULL);
        _Exit(CASE_FAILED);
    }
    pass();
}

void check_end(void)
{
    if (failed > MOST_PRINTED)
        detail("and %u more", failed - MOST_PRINTED);
    fprintf(stderr, "%c%u", COUNT_MARK, asserted);
    check_peer_end();
}

unsigned check_count(char *output)
{
    char *mark = strrchr(output, COUNT_MARK);

    if (!mark)
        return 0;
    *mark = '\0';
    return (unsigned)strtoul(mark + 1, NULL, 10);
}
