/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are no driver: each is refused without harm, and the report says what is wrong. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <elf.h>
#include <grp.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cushim/cushim.h>

#include "tests/drivers/route.h"
#include "tests/support/child.h"
#include "tests/support/environment.h"
#include "tests/support/folder.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { NOBODY = 65534 };

#if defined(__aarch64__)
#define OWN_NAME "aarch64"
#define OTHER_NAME "x86-64"
#define OTHER_MACHINE EM_X86_64
#else
#define OWN_NAME "x86-64"
#define OTHER_NAME "aarch64"
#define OTHER_MACHINE EM_AARCH64
#endif

static char zoo_driver[FOLDER_PATH_BYTES], zoo_program[FOLDER_PATH_BYTES];

/* The complete driver of the zoo, byte by byte. */
static unsigned char *whole;
static size_t whole_size;

/* What is written over the copy of the driver. */
struct patch {
    size_t at;
    unsigned char bytes[2];
    size_t size;
};

static const char *write_patched(const char *name, struct patch patch)
{
    unsigned char *bytes = malloc(whole_size);
    const char *path;

    assert_non_null(bytes);
    memcpy(bytes, whole, whole_size);
    memcpy(bytes + patch.at, patch.bytes, patch.size);
    path = folder_write(name, bytes, whole_size);
    free(bytes);
    return path;
}

static int make_files(void **state)
{
    static const char text[] = "This is no library.\n";
    static const char script[] = "/* GNU ld script */\nGROUP ( libcuda.so.1 )\n";

    folder_create(state);
    whole = folder_read(zoo_driver, &whole_size);
    folder_write("text", text, sizeof text - 1);
    folder_write("script", script, sizeof script - 1);
    folder_write("empty", "", 0);
    folder_subfolder("folder");
    folder_pipe("pipe");
    folder_link("dangling", folder_path("gone"));
    folder_link("loop", folder_path("loop"));
    folder_link("program", zoo_program);
    folder_write("unreadable", whole, whole_size);
    chmod(folder_path("unreadable"), 0);
    folder_write("readable", whole, whole_size);
    folder_write("cut", whole, whole_size / 2);
    folder_subfolder("closed");
    folder_write("closed/driver", whole, whole_size);
    chmod(folder_path("closed"), 0);
    write_patched("arm", (struct patch){offsetof(ElfW(Ehdr), e_machine), {EM_ARM, 0}, 2});
    write_patched("x86", (struct patch){offsetof(ElfW(Ehdr), e_machine), {EM_386, 0}, 2});
    write_patched("ppc64", (struct patch){offsetof(ElfW(Ehdr), e_machine), {EM_PPC64, 0}, 2});
    write_patched("riscv", (struct patch){offsetof(ElfW(Ehdr), e_machine), {EM_RISCV, 0}, 2});
    write_patched("usual", (struct patch){offsetof(ElfW(Ehdr), e_machine), {OTHER_MACHINE, 0}, 2});
    write_patched("other", (struct patch){offsetof(ElfW(Ehdr), e_machine), {0x12, 0x34}, 2});
    write_patched("narrow", (struct patch){EI_CLASS, {ELFCLASS32}, 1});
    write_patched("fixed", (struct patch){offsetof(ElfW(Ehdr), e_type), {ET_EXEC, 0}, 2});
    write_patched("object", (struct patch){offsetof(ElfW(Ehdr), e_type), {ET_REL, 0}, 2});
    return 0;
}

static int remove_files(void **state)
{
    free(whole);
    chmod(folder_path("closed"), 0700);
    return folder_remove(state);
}

static const struct file {
    const char *name; /* in the folder, or an absolute path */
    enum cushim_outcome outcome;
    const char *words; /* of the message of the candidate, and of the reason */
    const char *advice;
} files[] = {
    {"text", CUSHIM_OUTCOME_NOT_A_LIBRARY, "it is no ELF file", "Reinstall"},
    {"script", CUSHIM_OUTCOME_NOT_A_LIBRARY, "it is no ELF file", "Reinstall"},
    {"empty", CUSHIM_OUTCOME_NOT_A_LIBRARY, "the file is empty", "Reinstall"},
    {"folder", CUSHIM_OUTCOME_NOT_A_LIBRARY, "it is a directory", "Reinstall"},
    {"pipe", CUSHIM_OUTCOME_NOT_A_LIBRARY, "it is no regular file", "Reinstall"},
    {"/dev/null", CUSHIM_OUTCOME_NOT_A_LIBRARY, "it is no regular file", "Reinstall"},
    {"gone", CUSHIM_OUTCOME_NOT_FOUND, "No such file", "Check the path"},
    {"dangling", CUSHIM_OUTCOME_NOT_FOUND, "No such file", "Check the path"},
    {"text/driver", CUSHIM_OUTCOME_NOT_FOUND, "Not a directory", "Check the path"},
    {"loop", CUSHIM_OUTCOME_NOT_LOADABLE, "ymbolic link", "."},
    {"arm", CUSHIM_OUTCOME_WRONG_ARCHITECTURE, "it is built for ARM, and this process is " OWN_NAME,
     "architecture of this program"},
    {"x86", CUSHIM_OUTCOME_WRONG_ARCHITECTURE, "it is built for x86, and", "architecture"},
    {"ppc64", CUSHIM_OUTCOME_WRONG_ARCHITECTURE, "it is built for ppc64, and", "architecture"},
    {"riscv", CUSHIM_OUTCOME_WRONG_ARCHITECTURE, "it is built for RISC-V, and", "architecture"},
    {"usual", CUSHIM_OUTCOME_WRONG_ARCHITECTURE, "it is built for " OTHER_NAME ", and",
     "architecture"},
    {"other", CUSHIM_OUTCOME_WRONG_ARCHITECTURE,
     "it is built for another processor, and this process is " OWN_NAME,
     "architecture of this program"},
    {"narrow", CUSHIM_OUTCOME_WRONG_ARCHITECTURE,
     "it is built for 32-bit " OWN_NAME ", and this process is " OWN_NAME,
     "architecture of this program"},
    {"fixed", CUSHIM_OUTCOME_NOT_A_LIBRARY, "it is no shared library", "Reinstall"},
    {"object", CUSHIM_OUTCOME_NOT_A_LIBRARY, "it is no shared library", "Reinstall"},
    {"program", CUSHIM_OUTCOME_NOT_A_LIBRARY, "it is an executable", "Reinstall"},
};

static enum cushim_state state_of(enum cushim_outcome outcome)
{
    return outcome == CUSHIM_OUTCOME_NOT_FOUND ? CUSHIM_STATE_NOT_FOUND : CUSHIM_STATE_NOT_LOADABLE;
}

struct visit {
    const struct file *file;
    enum route route;
};

static struct cushim_report check_refused(enum route route, const char *path,
                                          enum cushim_outcome outcome, const char *words)
{
    struct cushim_report report = {.size = sizeof report};
    struct cushim_load_options options;

    route_prepare(route, path, &options);
    for (unsigned turn = 0; turn < 2; turn++) {
        check_int(cushim_load(&options), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
        check_int(cushim_driver()->EventQuery(NULL), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
        check_int(cushim_init(&options), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
        check_int(cushim_report_get(&report), CUDA_SUCCESS);
        check_int(report.state, state_of(outcome));
        check_int(report.code, CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
        check_int(report.candidate_count, 1);
        check_int(report.candidates[0].origin, route_origin(route));
        check_int(report.candidates[0].outcome, outcome);
        check_contains(report.candidates[0].message, words);
    }
    return report;
}

static void load_file(const void *data)
{
    const struct visit *visit = data;
    const struct file *file = visit->file;
    const char *path = file->name[0] == '/' ? file->name : folder_path(file->name);
    const struct cushim_report report =
        check_refused(visit->route, path, file->outcome, file->words);

    check_text(report.candidates[0].path, path);
    check_contains(report.reason, path);
    if (file->outcome != CUSHIM_OUTCOME_NOT_FOUND)
        check_contains(report.reason, file->words);
    check_contains(report.advice, file->advice);
}

static void load_all(enum route route)
{
    unsigned failures = 0;

    for (size_t i = 0; i < COUNT(files); i++) {
        const struct visit visit = {&files[i], route};
        failures += !child_passes(files[i].name, load_file, &visit);
    }
    assert_int_equal(failures, 0);
}

static void every_file_is_told_apart_by_option(void **state)
{
    (void)state;
    load_all(ROUTE_OPTION);
}

static void every_file_is_told_apart_by_environment(void **state)
{
    (void)state;
    load_all(ROUTE_ENVIRONMENT);
}

/* A search looks at these as well: the linker would map the cut one, and wait at the pipe. */
static const struct {
    const char *name;
    enum cushim_outcome outcome;
    const char *words;
} found_by_search[] = {
    {"text", CUSHIM_OUTCOME_NOT_A_LIBRARY, "it is no ELF file"},
    {"empty", CUSHIM_OUTCOME_NOT_A_LIBRARY, "the file is empty"},
    {"folder", CUSHIM_OUTCOME_NOT_A_LIBRARY, "it is a directory"},
    {"pipe", CUSHIM_OUTCOME_NOT_A_LIBRARY, "it is no regular file"},
    {"cut", CUSHIM_OUTCOME_TRUNCATED, "the file is shorter than its headers say"},
    {"other", CUSHIM_OUTCOME_WRONG_ARCHITECTURE, "it is built for"},
};

static void search(unsigned file)
{
    struct cushim_report report = {.size = sizeof report};

    check_int(cushim_load(NULL), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    check_int(cushim_report_get(&report), CUDA_SUCCESS);
    check_int(report.state, CUSHIM_STATE_NOT_LOADABLE);
    check_int(report.candidates[0].origin, CUSHIM_ORIGIN_SEARCH);
    check_int(report.candidates[0].outcome, found_by_search[file].outcome);
    check_text(report.candidates[0].path, "libcuda.so.1");
    check_contains(report.reason, report.candidates[0].message);
    check_contains(report.candidates[0].message, found_by_search[file].words);
    check_contains(report.candidates[0].message, "/libcuda.so.1: ");
}

static void start_anew_to_search(const void *data)
{
    const unsigned *file = data;
    const char number[] = {(char)('0' + *file), '\0'};
    const char *const arguments[] = {"search", number, NULL};
    char folder[64];

    environment_set("CUSHIM_LIBRARY", NULL);
    snprintf(folder, sizeof folder, "search-%s", found_by_search[*file].name);
    route_restart(folder_path(folder), arguments);
}

static void a_broken_file_in_the_search_path_is_not_loadable(void **state)
{
    unsigned failures = 0;

    (void)state;
    if (route_search_has_another()) {
        print_message("a driver of this machine would follow one that fails\n");
        skip();
    }
    for (unsigned i = 0; i < COUNT(found_by_search); i++) {
        char folder[64], name[96];

        if (found_by_search[i].outcome == CUSHIM_OUTCOME_WRONG_ARCHITECTURE &&
            route_linker_finds_one()) {
            print_message("%s: the driver of this machine follows\n", found_by_search[i].name);
            continue;
        }
        snprintf(folder, sizeof folder, "search-%s", found_by_search[i].name);
        snprintf(name, sizeof name, "%s/libcuda.so.1", folder);
        folder_subfolder(folder);
        folder_link(name, folder_path(found_by_search[i].name));
        failures += !child_passes(folder, start_anew_to_search, &i);
    }
    assert_int_equal(failures, 0);
}

/* The superuser may read anything: become somebody else. */
static bool give_up_rights(void)
{
    return geteuid() != 0 ||
           (setgroups(0, NULL) == 0 && setgid(NOBODY) == 0 && setuid(NOBODY) == 0);
}

static void load_unreadable(const void *data)
{
    struct cushim_report report;
    const enum route *route = data;
    const char *const names[] = {"unreadable", "closed/driver"};

    check(give_up_rights());
    for (size_t i = 0; i < COUNT(names); i++) {
        report = check_refused(*route, folder_path(names[i]), CUSHIM_OUTCOME_NO_PERMISSION,
                               "Permission denied");
        check_contains(report.advice, "readable for this user");
    }
}

static void only_give_up_rights(const void *data)
{
    (void)data;
    check(give_up_rights());
}

/* The others may be read still. */
static void load_readable(const void *data)
{
    struct cushim_load_options options;

    (void)data;
    check(give_up_rights());
    route_prepare(ROUTE_OPTION, folder_path("readable"), &options);
    check_int(cushim_load(&options), CUDA_SUCCESS);
}

static void a_file_that_may_not_be_read_is_told_apart(void **state)
{
    const enum route option = ROUTE_OPTION, environment = ROUTE_ENVIRONMENT;

    (void)state;
    if (!child_passes("giving up rights", only_give_up_rights, NULL)) {
        print_message("the superuser cannot become another user here\n");
        skip();
    }
    assert_true(child_passes("what may be read", load_readable, NULL));
    assert_true(child_passes("by option", load_unreadable, &option));
    assert_true(child_passes("by environment", load_unreadable, &environment));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_file_is_told_apart_by_option),
        cmocka_unit_test(every_file_is_told_apart_by_environment),
        cmocka_unit_test(a_broken_file_in_the_search_path_is_not_loadable),
        cmocka_unit_test(a_file_that_may_not_be_read_is_told_apart),
    };

    if (argc == 3 && strcmp(argv[1], "search") == 0) {
        search((unsigned)(argv[2][0] - '0'));
        child_end();
    }
    if (argc != 2)
        return EXIT_FAILURE;
    snprintf(zoo_driver, sizeof zoo_driver, "%s/complete.so", argv[1]);
    snprintf(zoo_program, sizeof zoo_program, "%s/program", argv[1]);
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
