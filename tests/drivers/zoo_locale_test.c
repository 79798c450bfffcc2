/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that speaks another language: the C library translates the linker's words, and what
 * came of a candidate is read out of them. The translation is made here, so that none has to be
 * installed.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <libintl.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cushim/cushim.h>

#include "tests/drivers/route.h"
#include "tests/support/folder.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define LANGUAGE "xx"

/* In the order of the alphabet, as the file of translations wants them. */
static const char *const words[][2] = {
    {"No such file or directory", "nenia dosiero"},
    {"cannot open shared object file", "ne malfermeblas"},
};

static const char *zoo;

static void put(FILE *file, uint32_t number)
{
    assert_int_equal(fwrite(&number, sizeof number, 1, file), 1);
}

/* The format of GNU gettext: two tables of lengths and places, then the texts. */
static void write_translations(const char *path)
{
    const uint32_t head = 7 * sizeof(uint32_t), table = COUNT(words) * 2 * sizeof(uint32_t);
    FILE *file = fopen(path, "wb");
    uint32_t place = head + 2 * table;

    assert_non_null(file);
    put(file, 0x950412de);
    put(file, 0); /* revision */
    put(file, COUNT(words));
    put(file, head);
    put(file, head + table);
    put(file, 0); /* no hash table */
    put(file, place);
    for (size_t language = 0; language < 2; language++) {
        for (size_t i = 0; i < COUNT(words); i++) {
            put(file, (uint32_t)strlen(words[i][language]));
            put(file, place);
            place += (uint32_t)strlen(words[i][language]) + 1;
        }
    }
    for (size_t language = 0; language < 2; language++)
        for (size_t i = 0; i < COUNT(words); i++)
            fwrite(words[i][language], strlen(words[i][language]) + 1, 1, file);
    assert_int_equal(fclose(file), 0);
}

/*
 * Whether the C library of this process speaks the other language: it may have no locale for that.
 */
static bool speak(const char *path)
{
    const char *message;

    folder_subfolder(LANGUAGE);
    folder_subfolder(LANGUAGE "/LC_MESSAGES");
    write_translations(folder_path(LANGUAGE "/LC_MESSAGES/libc.mo"));
    setenv("LANGUAGE", LANGUAGE, 1);
    bindtextdomain("libc", folder_path("."));
    if (!setlocale(LC_ALL, "C.UTF-8"))
        return false;
    /* This is what the loader would read. */
    assert_null(dlopen(path, RTLD_NOW));
    message = dlerror();
    print_message("%s\n", message);
    return strstr(message, words[0][1]) != NULL;
}

static void missing_neighbour_is_told_in_any_language(void **state)
{
    struct cushim_report report = {.size = sizeof report};
    struct cushim_load_options options = {.size = sizeof options};
    char path[FOLDER_PATH_BYTES];

    (void)state;
    snprintf(path, sizeof path, "%s/helped" LIBRARY_SUFFIX, zoo);
    if (!speak(path)) {
        print_message("this C library does not translate in the locale C.UTF-8\n");
        skip();
    }
    options.library = path;
    assert_int_equal(cushim_load(&options), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    cushim_report_get(&report);
    assert_int_equal(report.candidates[0].outcome, CUSHIM_OUTCOME_LACKS_LIBRARY);
    assert_non_null(strstr(report.advice, "Install the library"));
    /* And it is again for the program. */
    assert_null(dlopen(path, RTLD_NOW));
    assert_non_null(strstr(dlerror(), words[0][1]));
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(missing_neighbour_is_told_in_any_language),
    };

    zoo = count > 1 ? arguments[1] : ".";
    return cmocka_run_group_tests(tests, folder_create, folder_remove);
}
