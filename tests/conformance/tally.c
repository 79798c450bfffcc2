/* SPDX-License-Identifier: Apache-2.0 */
#include "tally.h"

#include <stdio.h>

/* A whole run that does less has not run: raise these as cases are added. */
static const struct {
    unsigned kind, passed, assertions;
} required[] = {
    {ON_GPU, 350, 10500},
    {ON_MOCK, 370, 13000},
};

static const char *const classes[CLASSES] = {"documented", "measured", "mock-only"};
static const char *const outcomes[OUTCOMES] = {"ok", "FAIL", "skip"};

static bool as_json;
static unsigned sums[OUTCOMES], asserted[CLASSES];

static void print_json_text(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        const unsigned char byte = (unsigned char)*text;

        if (byte == '"' || byte == '\\')
            printf("\\%c", byte);
        else if (byte < 0x20)
            printf("\\u%04x", byte);
        else
            putchar(byte);
    }
    putchar('"');
}

void tally_begin(bool json, const char *driver)
{
    as_json = json;
    if (!json) {
        printf("%s\n", driver);
        return;
    }
    printf("{\n  \"driver\": ");
    print_json_text(driver);
    printf(",\n  \"cases\": [");
}

static const char *source_of(const struct conformance_case *row)
{
    return row->source ? row->source : MEASURED_ON;
}

static void add_text(const struct conformance_case *row, enum outcome outcome, unsigned assertions,
                     const char *said)
{
    printf("%-4s  %s  %s", outcomes[outcome], row->name, classes[row->class]);
    if (row->class == MEASURED)
        printf(" (%s)", source_of(row));
    printf(", %u assertions%s%s\n", assertions, *said ? ": " : "", said);
}

static void add_json(const struct conformance_case *row, enum outcome outcome, unsigned assertions,
                     const char *said)
{
    const bool first = sums[PASSED] + sums[FAILED] + sums[SKIPPED] == 1;

    printf("%s\n    {\"name\": \"%s\", \"statement\": %u, \"class\": \"%s\", ", first ? "" : ",",
           row->name, case_statement(row), classes[row->class]);
    if (row->class == MEASURED)
        printf("\"source\": \"%s\", ", source_of(row));
    printf("\"result\": \"%s\", \"assertions\": %u, \"detail\": ", outcomes[outcome], assertions);
    print_json_text(said);
    putchar('}');
}

void tally_add(const struct conformance_case *row, enum outcome outcome, unsigned assertions,
               const char *said)
{
    sums[outcome]++;
    asserted[row->class] += assertions;
    (as_json ? add_json : add_text)(row, outcome, assertions, said);
    fflush(stdout);
}

/* NULL if enough was done, else what there is too little of. */
static const char *lack(unsigned kind)
{
    unsigned assertions = 0;

    for (unsigned i = 0; i < CLASSES; i++)
        assertions += asserted[i];
    if (sums[PASSED] == 0)
        return "no case has passed";
    for (size_t i = 0; i < sizeof required / sizeof *required; i++) {
        if (required[i].kind != kind)
            continue;
        if (sums[PASSED] < required[i].passed)
            return "fewer cases have passed than a whole run must have";
        if (assertions < required[i].assertions)
            return "fewer assertions were made than in a whole run";
    }
    return NULL;
}

bool tally_end(unsigned kind)
{
    const char *lacking = lack(kind);
    const bool passed = sums[FAILED] == 0 && !lacking;

    if (as_json) {
        printf("\n  ],\n  \"passed\": %u, \"failed\": %u, \"skipped\": %u,\n", sums[PASSED],
               sums[FAILED], sums[SKIPPED]);
        printf("  \"assertions\": {\"documented\": %u, \"measured\": %u, \"mock-only\": %u},\n",
               asserted[DOCUMENTED], asserted[MEASURED], asserted[MOCK_ONLY]);
        printf("  \"result\": \"%s\"\n}\n", passed ? "passed" : lacking ? lacking : "failed");
        return passed;
    }
    printf("%u passed, %u failed, %u skipped; assertions: %u documented, %u measured, %u "
           "mock-only\n",
           sums[PASSED], sums[FAILED], sums[SKIPPED], asserted[DOCUMENTED], asserted[MEASURED],
           asserted[MOCK_ONLY]);
    if (lacking)
        printf("The run has failed: %s.\n", lacking);
    return passed;
}
