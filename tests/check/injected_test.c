/* SPDX-License-Identifier: Apache-2.0 */
/*
 * injected_test [PROGRAMS [FIRST]]: random programs over the mock. In the unmodified program, check
 * must find nothing; with one misuse inserted, it must find the misuse under its id, and nothing
 * else.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cushim/testing/check.h>
#include <cushim/testing/mock.h>

#include "src/check/check.h"
#include "tests/check/answers.h"
#include "tests/check/cases.h"
#include "tests/check/injected.h"
#include "tests/check/order_objects.h"

enum { PROGRAMS = 400, STEPS = 40 };

const struct cushim_table *driver;

static struct cushim_mock *mock;
static struct cushim_layer *layer;
static uint64_t seed;
static const char *injected_id = "nothing";
static unsigned long calls, missed, reported;

void check_expect(CUresult answer, CUresult wanted, const char *call)
{
    calls++;
    if (answer == wanted)
        return;
    printf("seed %llu with %s: %s answers %d\n", (unsigned long long)seed, injected_id, call,
           (int)answer);
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

static void begin(bool has_leaks)
{
    static const char *const schedules[] = {"fifo", "eager", "lazy", "random"};
    char settings[80];
    const struct cushim_mock_options below = {.size = sizeof below, .settings = settings};
    struct cushim_layer_options over = {.size = sizeof over};
    const struct cushim_check_options check = {.size = sizeof check,
                                               .settings = has_leaks ? "level = advice\nleaks = on"
                                                                     : "level = advice"};

    snprintf(settings, sizeof settings, "mode = auto\nschedule = %s\nseed = %u\n",
             schedules[seed % 4], (unsigned)seed % 1000);
    OK(cushim_mock_create(&below, &mock));
    cushim_mock_set_log(mock, NULL, NULL);
    over.table = order_below = cushim_mock_table(mock);
    OK(cushim_layer_create(&over, &layer));
    OK(cushim_check_start(layer, &check));
    driver = cushim_layer_table(layer);
}

/* Assert that there is one finding with the id and no other; NULL: no finding. */
static void judge(const struct injected *wrong)
{
    size_t found, others;

    cushim__check_finish();
    found = wrong ? cushim_check_count(layer, wrong->id) : 0;
    others = cushim_check_count(layer, NULL) - found;
    if (wrong && wrong->is_lost && strcmp(wrong->id, "CUSHIM-error-sticky") != 0)
        others -= cushim_check_count(layer, "CUSHIM-error-sticky");
    missed += wrong && found != 1;
    reported += others > 0;
    if ((wrong && found != 1) || others > 0) {
        printf("seed %llu with %s: it is found %zu times, and %zu others are\n",
               (unsigned long long)seed, injected_id, found, others);
        check_print_findings();
    }
}

static void end(void)
{
    cushim_check_stop(layer, NULL, 0);
    cushim_layer_destroy(layer);
    cushim_mock_destroy(mock);
}

static void run(const struct injected *wrong)
{
    struct random_program program;
    struct cushim_mock_state state = {.size = sizeof state};
    unsigned steps, at;

    injected_id = wrong ? wrong->id : "nothing";
    begin(!wrong || !wrong->is_lost);
    random_begin(&program, seed);
    steps = STEPS / 4 + random_draw(&program, STEPS);
    at = random_draw(&program, steps + 1);
    for (unsigned i = 0; i < steps; i++) {
        if (i == at && wrong)
            wrong->inject(&program);
        if (i >= at && wrong && wrong->is_lost)
            break;
        random_step(&program);
    }
    if (at == steps && wrong)
        wrong->inject(&program);
    if (!wrong || !wrong->is_lost)
        random_end(&program);
    if (!wrong) {
        OK(cushim_mock_get_state(mock, &state));
        if (state.misuses > 0 || state.handles > 0 || state.allocations > 0) {
            printf("seed %llu: the program is not right\n", (unsigned long long)seed);
            exit(EXIT_FAILURE);
        }
    }
    judge(wrong);
    end();
    if (wrong && wrong->is_lost)
        random_abandon(&program);
}

int main(int argc, char **argv)
{
    const unsigned long programs = argc > 1 ? strtoul(argv[1], NULL, 10) : PROGRAMS;
    const uint64_t first = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    unsigned kinds = 0;

    while (injected[kinds].id)
        kinds++;
    for (seed = first; seed < first + programs; seed++) {
        run(NULL);
        run(&injected[seed % kinds]);
    }
    printf("%lu programs, %lu calls: %lu with a misuse that is not found, %lu with a report of "
           "what is right\n",
           programs, calls, missed, reported);
    return missed + reported > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
