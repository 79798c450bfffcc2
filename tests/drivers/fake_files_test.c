/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are not drivers: each is refused without harm, and the report says what is wrong. */
#include "tests/drivers/fake_files.h"

#include <cushim/cushim.h>

#include "tests/drivers/route.h"
#include "tests/support/child.h"
#include "tests/support/cmocka.h"
#include "tests/support/environment.h"
#include "tests/support/folder.h"

static const char *fake_folder;
static struct image driver;

static int make_files(void **state)
{
    static const char text[] = "This is not a library, but a text of more than 64 characters: so "
                               "many has the smallest header.\n";
    char path[FOLDER_PATH_BYTES];

    folder_create(state);
    snprintf(path, sizeof path, "%s/complete" LIBRARY_SUFFIX, fake_folder);
    driver.bytes = folder_read(path, &driver.size);
    folder_write("text", text, sizeof text - 1);
    folder_write("empty", "", 0);
    folder_subfolder("folder");
    files_make(&driver, fake_folder);
    return 0;
}

static int remove_files(void **state)
{
    free(driver.bytes);
    return folder_remove(state);
}

static enum cushim_state state_of(enum cushim_outcome outcome)
{
    return outcome == CUSHIM_OUTCOME_NOT_FOUND ? CUSHIM_STATE_NOT_FOUND : CUSHIM_STATE_NOT_LOADABLE;
}

static bool is_absolute(const char *name)
{
    return name[0] == '/' || name[0] == '\\';
}

/* A repeated load fails in the same way. */
static struct cushim_report load_twice(const struct cushim_load_options *options,
                                       enum cushim_outcome outcome)
{
    struct cushim_report report;

    for (unsigned times = 0; times < 2; times++) {
        check_int(cushim_driver_load(options), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
        check_int(cushim_driver()->EventQuery(NULL), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
        check_int(cushim_driver_init(options), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
        report = route_report();
        check_int(report.state, state_of(outcome));
        check_int(report.code, CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
        check_int(report.candidates[0].outcome, outcome);
        check(report.candidates[0].message[0] != '\0');
        check(!strpbrk(report.candidates[0].message, "\r\n%"));
    }
    return report;
}

static void load_file(const void *data)
{
    const struct file *file = data;
    const bool is_word = file->outcome == CUSHIM_OUTCOME_REFUSED;
    const char *path = is_absolute(file->name) || is_word ? file->name : folder_path(file->name);
    struct cushim_load_options options;
    struct cushim_report report;

    for (enum route route = ROUTE_OPTION; route <= ROUTE_ENVIRONMENT; route++) {
        route_prepare(route, path, &options);
        report = load_twice(&options, file->outcome);
        check_int(report.candidate_count, 1);
        check_int(report.candidates[0].origin, route_origin(route));
        check_text(report.candidates[0].path, path);
        check_contains(report.candidates[0].message, file->words);
        check_contains(report.reason, path);
        check_contains(report.advice, file->advice);
    }
}

TEST_ALONE(file_by_path_is_refused_with_its_outcome)
{
    unsigned failures = 0;

    for (const struct file *file = files; file->name; file++)
        failures += !child_passes(file->name, load_file, file);
    assert_int_equal(failures, 0);
}

static void cut_name(char *name, size_t size, size_t length)
{
    snprintf(name, size, "cut-%u", (unsigned)length);
}

static void load_cut(const void *data)
{
    const size_t length = *(const size_t *)data;
    struct cushim_load_options options;
    struct cushim_report report;
    char name[32];

    cut_name(name, sizeof name, length);
    route_prepare(ROUTE_OPTION, folder_path(name), &options);
    if (length >= files_mapped_size(&driver)) {
        check_int(cushim_driver_load(&options), CUDA_SUCCESS);
        check(cushim_driver()->ProfilerStop() > 100000);
        return;
    }
    report = load_twice(&options, length < files_magic_size() ? CUSHIM_OUTCOME_NOT_A_LIBRARY
                                                              : CUSHIM_OUTCOME_TRUNCATED);
    check_contains(report.advice,
                   length < files_magic_size() ? "Reinstall" : "the file is truncated");
}

TEST_ALONE(library_cut_at_any_length_is_truncated_and_never_a_crash)
{
    size_t lengths[MOST_CUTS];
    const size_t count = files_cuts(&driver, lengths);
    unsigned failures = 0;

    for (size_t i = 0; i < count; i++) {
        char name[32];

        cut_name(name, sizeof name, lengths[i]);
        folder_write(name, driver.bytes, lengths[i]);
        failures += !child_passes(name, load_cut, &lengths[i]);
    }
    assert_int_equal(failures, 0);
}

static void search_file(const struct file *file)
{
    const struct cushim_report report = load_twice(NULL, file->searched);

    check_int(report.candidates[0].origin, CUSHIM_ORIGIN_SEARCH);
    check_text(report.candidates[0].path, DRIVER_LIBRARY);
    if (report.state == CUSHIM_STATE_NOT_LOADABLE)
        check_contains(report.reason, report.candidates[0].message);
}

static void restart_to_search(const void *data)
{
    const struct file *file = data;
    const char *const arguments[] = {fake_folder, file->name, NULL};
    char folder[64];

    environment_set("CUSHIM_LIBRARY", NULL);
    snprintf(folder, sizeof folder, "search-%s", file->name);
    route_restart(folder_path(folder), arguments);
}

TEST_ALONE(file_by_search_has_the_outcome_of_the_linkers_message)
{
    unsigned failures = 0;

    if (!route_can_search)
        skip();
    if (route_machine_has_driver()) {
        print_message("skipped: a driver of this machine would follow one that fails\n");
        skip();
    }
    for (const struct file *file = files; file->name; file++) {
        char folder[64], name[96];

        if (file->searched == CUSHIM_OUTCOME_LOADED)
            continue;
        snprintf(folder, sizeof folder, "search-%s", file->name);
        snprintf(name, sizeof name, "%s/" DRIVER_LIBRARY, folder);
        folder_subfolder(folder);
        folder_link(name, folder_path(file->name));
        failures += !child_passes(folder, restart_to_search, file);
    }
    assert_int_equal(failures, 0);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return EXIT_FAILURE;
    fake_folder = argv[1];
    for (const struct file *file = files; argc == 3 && file->name; file++) {
        if (strcmp(file->name, argv[2]) != 0)
            continue;
        search_file(file);
        child_end();
    }
    return run_all_tests(make_files, remove_files);
}
