/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every public function with each of its requests to the system failing: one alone, and one with
 * all later ones. The function returns a code for that, leaks nothing, and succeeds afterwards.
 */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cushim/testing/mock.h>
#include <cushim/testing/sweep.h>

#include "function.h"
#include "oom.h"
#include "tests/modules/sweep.h"
#include "tests/support/cmocka.h"

static const struct function *const others[] = {loader_functions, mock_functions,
                                                testkit_functions};

static unsigned runs, places, functions;

/* A function of the modules has written an output although it failed. */
static bool is_output_wrong;

CUresult sweep_output(CUresult code, bool is_untouched)
{
    if (code != CUDA_SUCCESS && !is_untouched)
        is_output_wrong = true;
    return code;
}

static bool is_answer(CUresult code)
{
    return code == CUDA_ERROR_OUT_OF_MEMORY || code == CUDA_ERROR_OPERATING_SYSTEM;
}

/* Let the request number `place` fail. Returns false if there are fewer requests. */
static bool try(const char *names, CUresult (*call)(void), CUresult usual, CUresult also,
                unsigned place, bool on)
{
    const size_t before = oom_live();
    char where[300];
    unsigned failed;
    CUresult code;

    is_output_wrong = false;
    oom_arm(SHORT_ALL, place, on);
    code = call();
    failed = oom_disarm();
    if (!failed) {
        if (code != usual)
            fail_msg("%s: returns %d with enough memory", names, (int)code);
        return false;
    }
    runs++;
    if (code != usual && code != also && !is_answer(code))
        fail_msg("%s: returns %d if request %u%s fails", names, (int)code, place,
                 on ? " and all later" : "");
    if (is_output_wrong)
        fail_msg("%s: writes an output if request %u fails", names, place);
    if (oom_live() > before) {
        oom_describe_live(where, sizeof where);
        fail_msg("%s: %zu blocks are left if request %u%s fails; the last was requested at %s",
                 names, oom_live() - before, place, on ? " and all later" : "", where);
    }
    return true;
}

static void each_function_of_mock_and_testkit(void **state)
{
    for (const struct function *one = *state; one->names; one++) {
        unsigned place = 1;

        while (try(one->names, one->call, CUDA_SUCCESS, one->also, place, false) &&
               try(one->names, one->call, CUDA_SUCCESS, one->also, place, true))
            place++;
        places += place - 1;
        functions++;
    }
}

/*
 * A process loads a driver once, so each attempt has a process of its own, which exits with 0 if
 * there are fewer requests.
 */
static int attempt(const struct function *one, unsigned place, bool on)
{
    const pid_t child = fork();
    int status = 0;

    if (child == 0) {
        CUresult code, again;
        unsigned failed;

        oom_arm(SHORT_ALL, place, on);
        code = one->call();
        failed = oom_disarm();
        again = one->call();
        _exit(!failed ? (code == CUDA_SUCCESS ? 0 : 2)
              : code == CUDA_SUCCESS || code == one->also || is_answer(code)
                  ? (again == CUDA_SUCCESS ? 1 : 3)
                  : 4);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void each_function_of_the_loader(void **state)
{
    for (const struct function *one = *state; one->names; one++) {
        int end = 1;

        for (unsigned place = 1; end == 1; place++) {
            for (int on = 0; on < 2 && end == 1; on++) {
                end = attempt(one, place, on);
                runs += end == 1;
                places += end == 1 && !on;
            }
            if (end != 0 && end != 1)
                fail_msg("%s: request %u: ends with %d", one->names, place, end);
        }
        functions++;
    }
}

static void create_fixture(struct cushim_mock **mock)
{
    const struct cushim_mock_options options = {.size = sizeof options, .settings = "devices = 2"};

    assert_int_equal(cushim_mock_create(&options, mock), CUDA_SUCCESS);
    assert_int_equal(cushim_mock_install(*mock), CUDA_SUCCESS);
    assert_int_equal(sweep_fixture_make(), CUDA_SUCCESS);
}

static void destroy_fixture(struct cushim_mock *mock)
{
    struct cushim_mock_state state = {.size = sizeof state};

    sweep_fixture_destroy();
    cushim_mock_get_state(mock, &state);
    assert_int_equal(state.misuses, 0);
    cushim_mock_destroy(mock);
    assert_int_equal(oom_live(), 0);
}

static size_t live_handles(struct cushim_mock *mock)
{
    struct cushim_mock_state state = {.size = sizeof state};

    cushim_mock_get_state(mock, &state);
    return state.handles;
}

/* With a new mock, because the first call may allocate memory for later calls. */
static bool try_with_fixture(const struct sweep_row *row, unsigned place, bool on)
{
    struct cushim_mock *mock = NULL;
    unsigned failed;
    size_t handles;
    CUresult code;

    create_fixture(&mock);
    if (!(row->how & SWEEP_IN_CONTEXT))
        cushim_context_make_current(NULL);
    handles = live_handles(mock);
    is_output_wrong = false;
    oom_arm(SHORT_ALL, place, on);
    code = row->call();
    failed = oom_disarm();
    if (code != row->usual && !(failed && is_answer(code)))
        fail_msg("%s: returns %d if request %u fails", row->function, (int)code, place);
    if (is_output_wrong)
        fail_msg("%s: writes an output if request %u fails", row->function, place);
    if (live_handles(mock) != handles)
        fail_msg("%s: leaves a driver object if request %u fails", row->function, place);
    /* Afterwards the call must succeed. */
    if (failed && row->call() != row->usual)
        fail_msg("%s: does not recover from request %u", row->function, place);
    destroy_fixture(mock);
    runs += failed != 0;
    return failed;
}

static void each_function_of_the_modules(void **state)
{
    for (const struct sweep_row *row = *state; row->function; row++) {
        unsigned place = 1;

        while (try_with_fixture(row, place, false) && try_with_fixture(row, place, true))
            place++;
        places += place - 1;
        functions++;
    }
}

static bool is_listed(const char *function)
{
    const size_t length = strlen(function);

    for (size_t i = 0; i < SWEEP_TABLES; i++) {
        for (const struct sweep_row *row = sweep_tables[i]; row->function; row++) {
            if (strcmp(row->function, function) == 0)
                return true;
        }
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        for (const struct function *one = others[i]; one->names; one++) {
            const char *at = strstr(one->names, function);

            for (; at; at = strstr(at + 1, function)) {
                if ((at == one->names || at[-1] == ' ') && (!at[length] || at[length] == ' '))
                    return true;
            }
        }
    }
    return false;
}

/*
 * Collect the functions that a header declares: the name before the first parenthesis after
 * CUSHIM_API.
 */
static unsigned look_through(const char *path)
{
    FILE *file = fopen(path, "r");
    unsigned found = 0;
    char text[300];

    assert_non_null(file);
    while (fgets(text, sizeof text, file)) {
        char *name = strncmp(text, "CUSHIM_API", 10) == 0 ? strstr(text, "cushim_") : NULL, *end;

        /* Skip the type that a function returns. */
        while (name && (end = name + strspn(name, "abcdefghijklmnopqrstuvwxyz_0123456789")) &&
               *end != '(')
            name = strstr(end, "cushim_");
        if (!name)
            continue;
        *end = '\0';
        if (!is_listed(name))
            fail_msg("%s is not called", name);
        found++;
    }
    fclose(file);
    return found;
}

static unsigned look_through_folder(const char *path)
{
    DIR *folder = opendir(path);
    unsigned found = 0;
    struct dirent *entry;

    assert_non_null(folder);
    while ((entry = readdir(folder))) {
        const char *dot = strrchr(entry->d_name, '.');
        char file[1000];

        if (!dot || strcmp(dot, ".h") != 0)
            continue;
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        found += look_through(file);
    }
    closedir(folder);
    return found;
}

static void each_public_function_is_called(void **state)
{
    const unsigned found = look_through_folder(HEADERS);
    const unsigned for_tests = look_through_folder(HEADERS "/testing");

    print_message("public functions: %u, and %u for tests; calls swept: %u; places: %u; runs: %u\n",
                  found, for_tests, functions, places, runs);
    assert_true(found > 80);
    assert_true(for_tests > 50);
    assert_true(runs > 500);
}

#define SWEEP(test, rows)                                  \
    {                                                      \
#test ": " #rows, test, NULL, NULL, (void *)(rows) \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        SWEEP(each_function_of_the_loader, loader_functions),
        SWEEP(each_function_of_mock_and_testkit, mock_functions),
        SWEEP(each_function_of_mock_and_testkit, testkit_functions),
        SWEEP(each_function_of_the_modules, sweep_devices),
        SWEEP(each_function_of_the_modules, sweep_contexts),
        SWEEP(each_function_of_the_modules, sweep_streams),
        SWEEP(each_function_of_the_modules, sweep_events),
        cmocka_unit_test(each_public_function_is_called),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
