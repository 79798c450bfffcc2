/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A driver that the user may not read; libraries that are not drivers; and a program whose C
 * library translates the dynamic linker's messages, from which the loader determines the outcome.
 * The test writes the translation itself, so no language needs to be installed.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <libintl.h>
#include <locale.h>

#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cushim/cushim.h>

#include "tests/drivers/route.h"
#include "tests/support/child.h"
#include "tests/support/cmocka.h"
#include "tests/support/folder.h"

#define LANGUAGE "xx"

enum { NOBODY = 65534 };

static const char *fake_folder;

static const char *fake_path(const char *file)
{
    static char path[FOLDER_PATH_BYTES];

    snprintf(path, sizeof path, "%s/%s", fake_folder, file);
    return path;
}

/* The superuser may read every file, so become another user. */
static void give_up_rights(const void *data)
{
    check(geteuid() != 0 ||
          (setgroups(0, NULL) == 0 && setgid(NOBODY) == 0 && setuid(NOBODY) == 0));
}

static CUresult load_without_rights(const char *name, struct cushim_report *report)
{
    struct cushim_load_options options;
    CUresult code;

    give_up_rights(NULL);
    route_prepare(ROUTE_OPTION, folder_path(name), &options);
    code = cushim_driver_load(&options);
    *report = route_report();
    return code;
}

static void load_unreadable(const void *name)
{
    struct cushim_report report;

    check_int(load_without_rights(name, &report), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    check_int(report.candidates[0].outcome, CUSHIM_OUTCOME_NO_PERMISSION);
    check_contains(report.reason, "Permission denied");
    check_contains(report.advice, "readable for this user");
}

static void load_readable(const void *name)
{
    struct cushim_report report;

    check_int(load_without_rights(name, &report), CUDA_SUCCESS);
}

TEST_ALONE(driver_that_this_user_may_not_read_has_the_outcome_no_permission)
{
    size_t size;
    unsigned char *bytes = folder_read(fake_path("complete.so"), &size);

    folder_write("readable", bytes, size);
    folder_write("unreadable", bytes, size);
    chmod(folder_path("unreadable"), 0);
    folder_subfolder("closed");
    folder_write("closed/driver", bytes, size);
    chmod(folder_path("closed"), 0);
    free(bytes);
    if (!child_passes("giving up rights", give_up_rights, NULL)) {
        print_message("skipped: the superuser cannot become another user here\n");
        skip();
    }
    assert_true(child_passes("readable", load_readable, "readable"));
    assert_true(child_passes("unreadable file", load_unreadable, "unreadable"));
    assert_true(child_passes("closed folder", load_unreadable, "closed/driver"));
    chmod(folder_path("closed"), 0700);
}

#ifdef __GLIBC__ /* musl never unmaps a library */
static void load_rejected(const void *name)
{
    struct cushim_load_options options;

    route_prepare(ROUTE_OPTION, fake_path(name), &options);
    check(cushim_driver_load(&options) != CUDA_SUCCESS);
    check(dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD) == NULL);
}

/* All fakes have this SONAME, so a later search would find a library that stayed open. */
TEST_ALONE(what_is_no_driver_is_closed)
{
    assert_true(child_passes("stub", load_rejected, "stub.so"));
    assert_true(child_passes("no cuInit", load_rejected, "no-init.so"));
    assert_true(child_passes("no cuDriverGetVersion", load_rejected, "no-version.so"));
}
#endif

/* In alphabetical order, which the format of translations requires. */
static const char *const words[][2] = {
    {"No such file or directory", "nenia dosiero"},
    {"cannot open shared object file", "ne malfermeblas"},
};

static void put(FILE *file, uint32_t number)
{
    assert_int_equal(fwrite(&number, sizeof number, 1, file), 1);
}

/* The format of GNU gettext: two tables of lengths and offsets, then the texts. */
static void write_translations(const char *path)
{
    const uint32_t head = 7 * sizeof(uint32_t), table = COUNT(words) * 2 * sizeof(uint32_t);
    FILE *file = fopen(path, "wb");
    uint32_t offset = head + 2 * table;

    assert_non_null(file);
    put(file, 0x950412de);
    put(file, 0); /* revision */
    put(file, COUNT(words));
    put(file, head);
    put(file, head + table);
    put(file, 0); /* no hash table */
    put(file, offset);
    for (size_t i = 0; i < 2 * COUNT(words); i++) {
        const char *text = words[i % COUNT(words)][i / COUNT(words)];
        put(file, (uint32_t)strlen(text));
        put(file, offset);
        offset += (uint32_t)strlen(text) + 1;
    }
    for (size_t i = 0; i < 2 * COUNT(words); i++) {
        const char *text = words[i % COUNT(words)][i / COUNT(words)];
        fwrite(text, strlen(text) + 1, 1, file);
    }
    assert_int_equal(fclose(file), 0);
}

/* Whether dlerror() uses the other language now. */
static bool is_translated(const char *path)
{
    assert_null(dlopen(path, RTLD_NOW));
    return strstr(dlerror(), words[0][1]) != NULL;
}

static bool translate_dlerror(const char *path)
{
    folder_subfolder(LANGUAGE);
    folder_subfolder(LANGUAGE "/LC_MESSAGES");
    write_translations(folder_path(LANGUAGE "/LC_MESSAGES/libc.mo"));
    setenv("LANGUAGE", LANGUAGE, 1);
    bindtextdomain("libc", folder_path("."));
    return setlocale(LC_ALL, "C.UTF-8") && is_translated(path);
}

/* The last test, because the process keeps the language. */
TEST_ALONE(missing_dependency_is_recognised_in_a_translated_message)
{
    struct cushim_load_options options;
    struct cushim_report report;

    if (!translate_dlerror(fake_path("needs-helper.so"))) {
        print_message("skipped: this C library does not translate in the locale C.UTF-8\n");
        skip();
    }
    route_prepare(ROUTE_OPTION, fake_path("needs-helper.so"), &options);
    assert_int_equal(cushim_driver_load(&options), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    report = route_report();
    assert_int_equal(report.candidates[0].outcome, CUSHIM_OUTCOME_LACKS_LIBRARY);
    CONTAINS(report.advice, "Install the library");
    /* The program's own messages are still translated afterwards. */
    assert_true(is_translated(fake_path("needs-helper.so")));
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return EXIT_FAILURE;
    fake_folder = argv[1];
    return run_all_tests(folder_create, folder_remove);
}
