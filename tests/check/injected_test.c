/* SPDX-License-Identifier: Apache-2.0 */
/*
 * injected_test [PROGRAMS [FIRST]]: random programs over the mock. In the unmodified program, check
 * must find nothing. With the misuse of a case inserted, it must find the misuse under its id and
 * nothing else; with the correct use inserted, nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cushim/testing/check.h>
#include <cushim/testing/mock.h>

#include "src/check/check.h"
#include "tests/check/answers.h"
#include "tests/check/cases.h"
#include "tests/check/order_objects.h"
#include "tests/check/random_program.h"

enum { PROGRAMS = 400, STEPS = 40 };

const struct cushim_table *driver;

static struct cushim_mock *mock;
static struct cushim_layer *layer;
static uint64_t seed;
static const struct check_case *inserted; /* NULL: nothing */
static unsigned long calls, missed, reported;

static void print_place(void)
{
    printf("seed %llu with %s, %s: ", (unsigned long long)seed, inserted ? inserted->id : "nothing",
           inserted ? inserted->name : "");
}

void check_expect(CUresult answer, CUresult wanted, const char *call)
{
    calls++;
    if (answer == wanted)
        return;
    print_place();
    printf("%s answers %d\n", call, (int)answer);
    exit(EXIT_FAILURE);
}

/* Other tests compare the mock's code. */
void check_misuse(CUresult answer, CUresult wanted, const char *call)
{
    (void)answer;
    (void)wanted;
    (void)call;
    calls++;
}

/* --- what is inserted: the cases, and the edges of order_edges.h as cases --- */

static const struct order_edge *edge;

static void run_without_order(void)
{
    edge->run(false);
}

static void run_in_order(void)
{
    edge->run(true);
}

/*
 * Neither cases with settings, which apply to the whole program, nor cases about the objects and
 * contexts that a whole program leaves.
 */
static bool is_insertable(const struct check_case *one)
{
    return !(one->needs & (CASE_LEAKS | CASE_GPU | CASE_PROMISE | CASE_MOCK | CASE_MANUAL)) &&
           strcmp(one->id, "CUSHIM-context-pushed") != 0 &&
           strcmp(one->id, "CUSHIM-primary-released") != 0;
}

/* The case with a number; NULL: there are fewer. */
static const struct check_case *find_case(unsigned number)
{
    static struct check_case race = {.id = "CUSHIM-race",
                                     .bug = run_without_order,
                                     .right = run_in_order,
                                     .needs = CASE_OBJECTS};

    for (size_t i = 0; check_lists[i]; i++) {
        for (const struct check_case *one = check_lists[i]; one->id; one++) {
            if (is_insertable(one) && number-- == 0)
                return one;
        }
    }
    for (edge = order_edges; edge->name; edge++) {
        race.name = edge->name;
        if (!strstr(edge->name, "query") && number-- == 0)
            return &race;
    }
    return NULL;
}

static void begin(const char *check_settings)
{
    static const char *const schedules[] = {"fifo", "eager", "lazy", "random"};
    char settings[80];
    const struct cushim_mock_options below = {.size = sizeof below, .settings = settings};
    struct cushim_layer_options over = {.size = sizeof over};
    const struct cushim_check_options check = {.size = sizeof check, .settings = check_settings};

    snprintf(settings, sizeof settings, "mode = auto\nschedule = %s\nseed = %u\n",
             schedules[seed % 4], (unsigned)seed % 1000);
    OK(cushim_mock_create(&below, &mock));
    cushim_mock_set_log(mock, NULL, NULL);
    over.table = order_below = cushim_mock_table(mock);
    OK(cushim_layer_create(&over, &layer));
    OK(cushim_check_start(layer, &check));
    driver = cushim_layer_table(layer);
}

static void judge(bool is_misuse)
{
    bool is_right;

    cushim__check_finish();
    is_right = is_misuse ? check_case_is_found(inserted) : cushim_check_count(layer, NULL) == 0;
    missed += is_misuse && !is_right;
    reported += !is_misuse && !is_right;
    if (!is_right) {
        print_place();
        printf(is_misuse ? "it is not found once and alone\n" : "what is right is reported\n");
        check_print_findings();
    }
}

/* Insert the case after all work. Returns whether the program has lost its context by it. */
static bool insert(const struct random_program *program, bool is_misuse)
{
    CUcontext context = NULL;

    OK(driver->CtxSynchronize());
    check_case_run(inserted, is_misuse);
    return (is_misuse && inserted->needs & CASE_LOST) ||
           order_below->CtxGetCurrent(&context) != CUDA_SUCCESS ||
           context != program->context[program->current] ||
           order_below->CtxSynchronize() != CUDA_SUCCESS;
}

static void run(const struct check_case *one, bool is_misuse)
{
    struct random_program program;
    struct cushim_mock_state state = {.size = sizeof state};
    bool is_lost = false;
    unsigned steps, at;

    inserted = one;
    begin(is_misuse ? check_case_settings(one) : "level = advice\nleaks = on");
    random_begin(&program, seed);
    steps = STEPS / 4 + random_draw(&program, STEPS);
    at = random_draw(&program, steps);
    for (unsigned i = 0; i < steps && !is_lost; i++) {
        if (i == at && one)
            is_lost = insert(&program, is_misuse);
        if (!is_lost)
            random_step(&program);
    }
    if (is_lost)
        random_abandon(&program);
    else
        random_end(&program);
    OK(cushim_mock_get_state(mock, &state));
    if (!one && (state.misuses > 0 || state.handles > 0 || state.allocations > 0)) {
        print_place();
        printf("the program is not right\n");
        exit(EXIT_FAILURE);
    }
    judge(is_misuse);
    cushim_check_stop(layer, NULL, 0);
    cushim_layer_destroy(layer);
    cushim_mock_destroy(mock);
}

int main(int argc, char **argv)
{
    const unsigned long programs = argc > 1 ? strtoul(argv[1], NULL, 10) : PROGRAMS;
    const uint64_t first = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    unsigned kinds = 0;

    while (find_case(kinds))
        kinds++;
    for (seed = first; seed < first + programs; seed++) {
        run(NULL, false);
        run(find_case(seed % kinds), true);
        run(find_case(seed % kinds), false);
    }
    printf("%lu programs, %lu calls: %lu with a misuse that is not found, %lu with a report of "
           "what is right\n",
           programs, calls, missed, reported);
    return missed + reported > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
