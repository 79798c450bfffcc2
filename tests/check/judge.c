/* SPDX-License-Identifier: Apache-2.0 */
/*
 * judge --driver PATH [ID]: which code a driver returns for each misuse, whether check finds the
 * misuse on that driver, and whether it finds nothing in the correct use. With ID, only the cases
 * whose ids begin with ID.
 *
 * Each run has its own process, because the driver may crash: without check; with check letting
 * calls through on which the driver is known to crash; and with check unchanged. Cases that need
 * settings of the mock are in order_test.c.
 *
 * A plain program, which needs only the C library, so that it can be copied to a machine with a
 * GPU. The exit status is 0 if check finds every id and reports no correct use, 1 if not or if
 * there is no such case, 2 for wrong arguments, and 77 if there is no driver or no device.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cushim/driver.h>
#include <cushim/testing/check.h>

#include "tests/check/answers.h"
#include "tests/check/cases.h"
#include "tests/check/order_objects.h"

enum { PATIENCE_SECONDS = 60, SKIPPED = 77 };

enum way { RAW, LET_THROUGH, CHECKED };

/* What a process reports; it may end at any time. */
struct record {
    bool is_answered, is_finished;
    CUresult answer;  /* the code of the misuse */
    CUresult refusal; /* the first code that differs from the mock's */
    size_t found;     /* findings with its id, when the misuse has returned */
    char other[120];  /* the call that returned `refusal`; empty: none */
    bool is_found;    /* at the end: found once, and nothing else */
    CUresult verdict; /* check's, at the end */
    char said[1000];
};

const struct cushim_table *driver;

static struct record *record; /* shared with the processes */
static struct cushim_layer *layer;
static const struct check_case *current;
static const char *id_begins = ""; /* of the cases to run */
static unsigned cases, left_out, not_found, reported;

/* --- in the process of a case --- */

void check_expect(CUresult answer, CUresult wanted, const char *call)
{
    if (answer == wanted || record->other[0])
        return;
    snprintf(record->other, sizeof record->other, "%.100s answers %d", call, (int)answer);
    record->refusal = answer;
    if (!record->is_answered)
        _exit(EXIT_FAILURE);
}

void check_misuse(CUresult answer, CUresult wanted, const char *call)
{
    (void)wanted;
    (void)call;
    record->answer = answer;
    record->found = cushim_check_count(layer, current->id);
    record->is_answered = true;
}

/* The forked child continues in place of this process, which ends with the child's status. */
static void use_event_in_child(void)
{
    CUevent event;
    pid_t child;
    int status;

    OK(driver->EventCreate(&event, 0));
    child = fork();
    if (child != 0) {
        if (waitpid(child, &status, 0) == child && WIFSIGNALED(status))
            raise(WTERMSIG(status));
        _exit(EXIT_SUCCESS);
    }
    alarm(PATIENCE_SECONDS);
    MISUSE(CUDA_ERROR_INVALID_HANDLE, driver->EventQuery(event));
}

static void use_event_in_parent(void)
{
    CUevent event;
    pid_t child;

    OK(driver->EventCreate(&event, 0));
    child = fork();
    if (child == 0)
        _exit(EXIT_SUCCESS);
    waitpid(child, NULL, 0);
    OK(driver->EventQuery(event));
    OK(driver->EventDestroy_v2(event));
}

static const struct order_edge *edge;

static void run_without_order(void)
{
    edge->run(false);
}

static void run_in_order(void)
{
    edge->run(true);
}

static void begin(enum way way)
{
    char settings[300];
    const struct cushim_check_options options = {.size = sizeof options, .settings = settings};
    CUcontext context;

    driver = cushim_driver();
    order_below = driver;
    if (way != RAW) {
        struct cushim_layer_options over = {.size = sizeof over, .table = driver};

        OK(cushim_layer_create(&over, &layer));
        driver = cushim_layer_table(layer);
    }
    snprintf(settings, sizeof settings, "%slet_through = %s\n", check_case_settings(current),
             way == LET_THROUGH ? "on" : "off");
    /* The context is not a leak of the case. */
    if (way != RAW && !(current->needs & CASE_LEAKS))
        OK(cushim_check_start(layer, &options));
    OK(driver->Init(0));
    OK(driver->DevicePrimaryCtxRetain(&context, 0));
    OK(driver->CtxSetCurrent(context));
    if (way != RAW && (current->needs & CASE_LEAKS))
        OK(cushim_check_start(layer, &options));
}

_Noreturn static void act(enum way way, bool is_misuse)
{
    alarm(PATIENCE_SECONDS);
    begin(way);
    check_case_run(current, is_misuse);
    if (way != RAW && !is_misuse && cushim_check_count(layer, NULL) > 0)
        snprintf(record->other, sizeof record->other, "advice or more is reported");
    record->is_found = way != RAW && is_misuse && check_case_is_found(current);
    if (way != RAW)
        record->verdict = cushim_check_stop(layer, record->said, sizeof record->said);
    record->is_finished = true;
    fflush(NULL);
    _exit(EXIT_SUCCESS);
}

/* --- in the parent --- */

/* Returns the signal that killed the process, or 0. */
static int run(enum way way, bool is_misuse)
{
    pid_t child;
    int status = 0;

    memset(record, 0, sizeof *record);
    fflush(NULL);
    child = fork();
    if (child == 0)
        act(way, is_misuse);
    if (child < 0 || waitpid(child, &status, 0) != child)
        exit(EXIT_FAILURE);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void print_answer(int killed)
{
    if (record->is_answered)
        printf("%d", (int)record->answer);
    else
        printf("%s", killed ? "" : record->is_finished ? "nothing" : "not reached");
    if (killed)
        printf("%s%s", record->is_answered ? ", then " : "",
               killed == SIGALRM ? "hangs" : strsignal(killed));
    if (record->other[0])
        printf(" (%s)", record->other);
}

static void print_said(void)
{
    if (record->said[0])
        printf("    %s\n", record->said);
}

/*
 * Whether there was one finding with the id and no other; or, if the process died, at least one
 * finding.
 */
static bool is_found(void)
{
    return record->is_finished ? record->is_found || record->found > 0 : record->found > 0;
}

static bool is_quiet(void)
{
    return record->is_finished && record->verdict == CUDA_SUCCESS && !record->other[0];
}

/* Whether the driver can create what the case needs, which a mock cannot. */
static bool is_of_gpu(const struct check_case *one)
{
    if (!(one->needs & CASE_GPU))
        return false;
    current = one;
    run(RAW, false);
    return record->refusal == CUDA_ERROR_NOT_SUPPORTED;
}

static void judge(const struct check_case *one)
{
    char found[1000] = "";
    bool is_right, is_all;

    if (strncmp(one->id, id_begins, strlen(id_begins)) != 0 ||
        one->needs & (CASE_MOCK | CASE_MANUAL))
        return;
    if (is_of_gpu(one)) {
        printf("%s | %s | left out: the driver is a mock\n", one->id, one->name);
        left_out++;
        return;
    }
    current = one;
    cases++;
    printf("%s | %s | raw: ", one->id, one->name);
    print_answer(run(RAW, true));
    printf(" | let through: ");
    print_answer(run(LET_THROUGH, true));
    printf(is_found() ? ", found" : ", not seen");
    printf(" | check: ");
    print_answer(run(CHECKED, true));
    is_all = is_found();
    printf(is_all ? ", found" : ", NOT FOUND");
    memcpy(found, record->said, sizeof found);
    printf(" | right, raw: ");
    print_answer(run(RAW, false));
    printf(", check: ");
    print_answer(run(CHECKED, false));
    is_right = is_quiet();
    printf("%s", is_right ? "" : ", REPORTED");
    printf(" | %s\n", is_all && is_right ? "ok" : "FAIL");
    if (!is_right)
        print_said();
    if (found[0])
        printf("    %s\n", found);
    not_found += !is_all;
    reported += !is_right;
}

static bool has_device(void)
{
    const pid_t child = fork();
    int status = 1, count = 0;

    if (child == 0)
        _exit(cushim_driver_load(NULL) == CUDA_SUCCESS &&
                      cushim_driver()->Init(0) == CUDA_SUCCESS &&
                      cushim_driver()->DeviceGetCount(&count) == CUDA_SUCCESS && count > 0
                  ? EXIT_SUCCESS
                  : EXIT_FAILURE);
    return waitpid(child, &status, 0) == child && status == 0;
}

int main(int argc, char **argv)
{
    char path[PATH_MAX];
    const struct check_case forked = {.id = "CUSHIM-handle-before-fork",
                                      .name = "event",
                                      .bug = use_event_in_child,
                                      .right = use_event_in_parent};

    if (argc < 3 || argc > 4 || strcmp(argv[1], "--driver") != 0) {
        fprintf(stderr, "usage: judge --driver PATH [ID]\n");
        return 2;
    }
    if (argc == 4)
        id_begins = argv[3];
    setenv("CUSHIM_LIBRARY", realpath(argv[2], path) ? path : argv[2], 1);
    setenv("CUSHIM_MOCK_SETTINGS", "mode = auto\nquiet = yes",
           0); /* a GPU's driver does not read it */
    record = mmap(NULL, sizeof *record, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (record == MAP_FAILED)
        return EXIT_FAILURE;
    if (!has_device()) {
        printf("%s: no driver, or no device\n", argv[2]);
        return SKIPPED;
    }
    for (size_t i = 0; check_lists[i]; i++) {
        for (const struct check_case *one = check_lists[i]; one->id; one++)
            judge(one);
    }
    for (edge = order_edges; edge->name; edge++) {
        const struct check_case one = {.id = "CUSHIM-race",
                                       .name = edge->name,
                                       .bug = run_without_order,
                                       .right = run_in_order,
                                       .needs = CASE_OBJECTS};

        judge(&one);
    }
    judge(&forked);
    printf("%u cases, %u left out, %u not found, %u right uses reported\n", cases, left_out,
           not_found, reported);
    return cases == 0 || not_found + reported > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
