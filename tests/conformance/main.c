/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conformance: tests whether a driver behaves as docs/driver-semantics.md says, and whether
 * cushim's modules and layers behave on it as their headers say. See usage() below, and cases.h for
 * the cases.
 *
 * A plain program, which needs only the C library, so that it can be copied to a machine with a
 * GPU. The exit status is 0 if all cases passed, 1 if one failed, 2 for wrong arguments, and 77 if
 * there is no driver or no device.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "system.h"
#include "tests/support/environment.h"
#include "tests/support/process.h"

/* The first process of a run, which prints what is tested. */
#define IDENTIFY "identify"
#define IS_MOCK "mock: "

enum { MOST_CASES = 1000, STATEMENTS_END = 1000 };
enum outcome { PASSED, FAILED, SKIPPED, OUTCOMES };

static const char *const class_names[CLASSES] = {"documented", "measured", "mock-only", "cushim"};
static const char *const outcome_names[OUTCOMES] = {"ok", "FAIL", "skip"};

/*
 * A whole run with less counts as failed, also with one GPU. Raise these numbers when you add
 * cases.
 */
static const struct {
    unsigned kind, passed, assertions;
} required[] = {
    {ON_GPU, 428, 12000},
    {ON_MOCK, 422, 13820},
};

static const struct {
    const char *name, *help;
} usages[] = {
    {"--driver=mock|real|PATH", "the mock in this process; the driver; a library (default: mock)"},
    {"--only=PREFIX", "only cases whose names begin with PREFIX, such as 024"},
    {"--list", "list the cases, and run none"},
    {"--json", "print JSON"},
    {"--settings=TEXT", "settings of the mock, as lines of key = value"},
    {"--stub=PATH", "the toolkit's stub library, for statement 4"},
    {"--seconds=NUMBER", "the time limit of a case (default: 120)"},
    {"--help", "print this"},
};

/* All cases: those of statements in their order, and then those about cushim; and all peers. */
static const struct conformance_case *cases[MOST_CASES], *peers[MOST_CASES];
static size_t case_count, peer_count;

static bool as_json;
static unsigned sums[OUTCOMES], asserted[CLASSES];

static void usage(FILE *file)
{
    fprintf(file, "usage: conformance [OPTION]...\n");
    for (size_t i = 0; i < COUNT(usages); i++)
        fprintf(file, "  %-24s  %s\n", usages[i].name, usages[i].help);
}

/* The statement of a case; 0: the case is about cushim. */
static unsigned statement_of(const struct conformance_case *row)
{
    return (unsigned)strtoul(row->name, NULL, 10);
}

static unsigned place_of(const struct conformance_case *row)
{
    return statement_of(row) > 0 ? statement_of(row) : STATEMENTS_END;
}

void case_add(const struct conformance_case *row)
{
    size_t i;

    if (case_count == MOST_CASES || peer_count == MOST_CASES)
        abort();
    if (row->class == PEERS) {
        peers[peer_count++] = row;
        return;
    }
    for (i = case_count++; i > 0 && place_of(cases[i - 1]) > place_of(row); i--)
        cases[i] = cases[i - 1];
    cases[i] = row;
}

static bool is_chosen(const struct conformance_case *row, const char *only)
{
    return strncmp(row->name, only, strlen(only)) == 0;
}

static void list(const char *only)
{
    for (size_t i = 0; i < case_count; i++) {
        if (is_chosen(cases[i], only))
            puts(cases[i]->name);
    }
}

/* Whether every statement up to the highest one has a case; otherwise every run fails. */
static bool is_complete(void)
{
    unsigned former = 0;
    bool complete = true;

    for (size_t i = 0; i < case_count && statement_of(cases[i]) > 0; i++) {
        while (former + 1 < statement_of(cases[i])) {
            fprintf(stderr, "conformance: statement %u has no case\n", ++former);
            complete = false;
        }
        former = statement_of(cases[i]);
    }
    return complete;
}

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

static void print_head(const char *driver)
{
    if (!as_json) {
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

static void print_text(const struct conformance_case *row, enum outcome outcome,
                       unsigned assertions, const char *said)
{
    printf("%-4s  %s  %s", outcome_names[outcome], row->name, class_names[row->class]);
    if (row->class == MEASURED)
        printf(" (%s)", source_of(row));
    printf(", %u assertions%s%s\n", assertions, *said ? ": " : "", said);
}

static void print_json(const struct conformance_case *row, enum outcome outcome,
                       unsigned assertions, const char *said)
{
    const bool first = sums[PASSED] + sums[FAILED] + sums[SKIPPED] == 1;

    printf("%s\n    {\"name\": \"%s\", ", first ? "" : ",", row->name);
    if (statement_of(row) > 0)
        printf("\"statement\": %u, ", statement_of(row));
    printf("\"class\": \"%s\", ", class_names[row->class]);
    if (row->class == MEASURED)
        printf("\"source\": \"%s\", ", source_of(row));
    printf("\"result\": \"%s\", \"assertions\": %u, \"detail\": ", outcome_names[outcome],
           assertions);
    print_json_text(said);
    putchar('}');
}

/* NULL if a whole run on this kind of driver has done enough; otherwise what is missing. */
static const char *lack(unsigned kind)
{
    unsigned assertions = 0;

    for (unsigned i = 0; i < CLASSES; i++)
        assertions += asserted[i];
    if (sums[PASSED] == 0)
        return "no case has passed";
    for (size_t i = 0; i < COUNT(required); i++) {
        if (required[i].kind != kind)
            continue;
        if (sums[PASSED] < required[i].passed)
            return "fewer cases have passed than a whole run must have";
        if (assertions < required[i].assertions)
            return "fewer assertions were made than in a whole run";
    }
    return NULL;
}

/* Print the totals. A whole run must reach the minimum of `kind`; with 0 there is no minimum. */
static bool print_sums(unsigned kind)
{
    const char *lacking = lack(kind);
    const bool passed = sums[FAILED] == 0 && !lacking;

    printf(as_json ? "\n  ],\n  \"passed\": %u, \"failed\": %u, \"skipped\": %u,\n"
                     "  \"assertions\": {"
                   : "%u passed, %u failed, %u skipped; assertions: ",
           sums[PASSED], sums[FAILED], sums[SKIPPED]);
    for (unsigned i = 0; i < CLASSES; i++) {
        if (as_json)
            printf("%s\"%s\": %u", i > 0 ? ", " : "", class_names[i], asserted[i]);
        else
            printf("%s%u %s", i > 0 ? ", " : "", asserted[i], class_names[i]);
    }
    printf("%s\n", as_json ? "}," : "");
    if (as_json)
        printf("  \"result\": \"%s\"\n}\n", passed ? "passed" : lacking ? lacking : "failed");
    else if (lacking)
        printf("The run has failed: %s.\n", lacking);
    return passed;
}

/*
 * Set the settings for the next process. The user's settings come first, so that line numbers in
 * messages are right. With `quiet`, a mock does not print its identity, because the suite asks for
 * it.
 */
static void prepare(const char *settings, const char *more)
{
    char all[4096];

    snprintf(all, sizeof all, "%s\n%s\nquiet = yes\n", settings, more ? more : "");
    environment_set(BACKEND_SETTINGS, all);
}

/* Run one case in a process, with the environment of its row. */
static void run_case(const struct conformance_case *row, unsigned kind, const char *settings)
{
    char output[16384], name[256] = "";
    enum outcome outcome = FAILED;
    unsigned assertions;
    struct process_end end;

    prepare(settings, row->settings);
    if (row->environment) {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(row->environment, "="), row->environment);
        environment_set(name, row->environment + strlen(name) + 1);
    }
    end = process_run(row->name, output, sizeof output);
    if (row->environment)
        environment_set(name, NULL);

    assertions = check_count(output);
    if (!end.exited) {
        size_t length = strlen(output);

        snprintf(output + length, sizeof output - length, "%s%s", length > 0 ? "; " : "",
                 end.death);
    } else if (end.status == CASE_SKIPPED) {
        outcome = row->may_skip & kind ? SKIPPED : FAILED;
    } else if (end.status == CASE_PASSED && assertions > 0) {
        outcome = PASSED;
    }
    sums[outcome]++;
    asserted[row->class] += assertions;
    (as_json ? print_json : print_text)(row, outcome, assertions, output);
    fflush(stdout);
}

static bool applies(const struct conformance_case *row, unsigned kind)
{
    const unsigned only_on = row->class == MOCK_ONLY ? ON_MOCK : row->only_on;

    return only_on == 0 || (only_on & kind) != 0;
}

static int run_all(const char *only, const char *settings)
{
    char output[4096];
    struct process_end end;
    unsigned kind;

    prepare(settings, NULL);
    end = process_run(IDENTIFY, output, sizeof output);
    if (!is_complete())
        return CASE_FAILED;
    if (!end.exited || end.status != CASE_PASSED) {
        fprintf(stderr, "conformance: %s\n", output);
        return end.exited ? end.status : CASE_FAILED;
    }
    kind = strncmp(output, IS_MOCK, strlen(IS_MOCK)) == 0 ? ON_MOCK : ON_GPU;
    print_head(output);
    for (size_t i = 0; i < case_count; i++) {
        if (is_chosen(cases[i], only) && applies(cases[i], kind))
            run_case(cases[i], kind, settings);
    }
    return print_sums(*only ? 0 : kind) ? CASE_PASSED : CASE_FAILED;
}

static _Noreturn void identify(void)
{
    int version = 0, devices = 0;

    if (cu->Init(0) != CUDA_SUCCESS || cu->DeviceGetCount(&devices) != CUDA_SUCCESS || devices == 0)
        skip("cuInit returns %d, and there are %d devices", (int)cu->Init(0), devices);
    cu->DriverGetVersion(&version);
    detail("%sCUDA %d.%d, %s, %d device%s", backend_is_mock() ? IS_MOCK : "", version / 1000,
           version % 1000 / 10, backend_name(), devices, devices == 1 ? "" : "s");
    pass();
}

/* In a process of its own: run a case, or the second process of one. */
static _Noreturn void run_here(const char *name)
{
    const char *refused;

    process_begin();
    refused = backend_open();
    if (refused && !backend_is_mock() && strcmp(backend_driver, "real") == 0)
        skip("%s", refused); /* there is no driver */
    if (refused)
        fail("%s", refused);
    if (strcmp(name, IDENTIFY) == 0)
        identify();
    for (size_t i = 0; i < case_count; i++) {
        if (strcmp(cases[i]->name, name) == 0) {
            cases[i]->run();
            latch_open_all();
            check_end();
        }
    }
    for (size_t i = 0; i < peer_count; i++) {
        if (strcmp(peers[i]->name, name) == 0) {
            peers[i]->run();
            check_peer_end();
        }
    }
    fail("there is no case %s", name);
}

/* The value of `argument` if it is this option, or NULL. */
static const char *value_of(const char *argument, const char *option)
{
    const size_t length = strlen(option);

    return strncmp(argument, option, length) == 0 && argument[length] == '=' ? argument + length + 1
                                                                             : NULL;
}

/* Pass the driver and the stub library on to every process of a run. */
static bool hand_on(void)
{
    static char driver[FILE_PATH_BYTES + 16], stub[FILE_PATH_BYTES + 16];
    static char path[FILE_PATH_BYTES];
    const char *arguments[] = {"conformance", driver, backend_stub ? stub : NULL, NULL};

    if (strcmp(backend_driver, "mock") != 0 && strcmp(backend_driver, "real") != 0) {
        if (!file_absolute(backend_driver, path)) { /* so that the loader searches nowhere else */
            fprintf(stderr, "conformance: there is no library at %s\n", backend_driver);
            return false;
        }
        backend_driver = path;
    }
    snprintf(driver, sizeof driver, "--driver=%s", backend_driver);
    snprintf(stub, sizeof stub, "--stub=%s", backend_stub ? backend_stub : "");
    process_arguments(arguments);
    return true;
}

int main(int count, char **arguments)
{
    const char *only = "", *one = NULL, *settings = "";
    bool listed = false;

    for (int i = 1; i < count; i++) {
        const char *argument = arguments[i], *value;

        if (strcmp(argument, "--help") == 0) {
            usage(stdout);
            return 0;
        } else if (strcmp(argument, "--list") == 0) {
            listed = true;
        } else if (strcmp(argument, "--json") == 0) {
            as_json = true;
        } else if ((value = value_of(argument, "--driver"))) {
            backend_driver = value;
        } else if ((value = value_of(argument, "--only"))) {
            only = value;
        } else if ((value = value_of(argument, "--settings"))) {
            settings = value;
        } else if ((value = value_of(argument, "--stub"))) {
            backend_stub = value;
        } else if ((value = value_of(argument, "--seconds"))) {
            process_patience((unsigned)strtoul(value, NULL, 10));
        } else if (strcmp(argument, "--run") == 0 && i + 1 < count) {
            one = arguments[++i];
        } else {
            usage(stderr);
            return 2;
        }
    }
    if (listed) {
        list(only);
        return 0;
    }
    if (!hand_on())
        return 2;
    if (one)
        run_here(one);
    return run_all(only, settings);
}
