/* SPDX-License-Identifier: Apache-2.0 */
/* docs/mock.md tells every key of settings and of profiles, and the defaults are what it says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "src/mock/settings.h"

enum { LONGEST_LINE = 1024 };

/* One row of a table of the page: the words of its cells that stand in backquotes, or empty. */
struct row {
    char key[64], default_value[64];
};

static FILE *page;

/*
 * The word in backquotes that a cell begins with; the cell ends at a bar. Returns what follows it.
 */
static const char *read_cell(const char *cell, char *word, size_t size)
{
    const char *end = strchr(cell, '|');
    size_t length;

    word[0] = '\0';
    cell += strspn(cell, " ");
    if (*cell == '`') {
        length = strcspn(cell + 1, "`");
        assert_true(length < size);
        memcpy(word, cell + 1, length);
        word[length] = '\0';
    }
    return end ? end + 1 : cell + strlen(cell);
}

/* Go to the next row of the section that is being read. False: there are no more. */
static bool next_row(struct row *row)
{
    char line[LONGEST_LINE], values[64];

    while (fgets(line, sizeof line, page) && strncmp(line, "## ", 3) != 0) {
        assert_non_null(strchr(line, '\n'));
        if (strncmp(line, "| `", 3) != 0)
            continue;
        read_cell(read_cell(read_cell(line + 1, row->key, sizeof row->key), values, sizeof values),
                  row->default_value, sizeof row->default_value);
        return true;
    }
    return false;
}

/* Begin to read a section. */
static void open_section(const char *heading)
{
    char line[LONGEST_LINE];

    page = fopen(MOCK_PAGE, "r");
    assert_non_null(page);
    while (fgets(line, sizeof line, page)) {
        if (strcmp(line, heading) == 0)
            return;
    }
    fail_msg("no heading %s", heading);
}

/* The rows of a section are these keys, in this order. */
static void check_keys(const char *heading, const char *(*key)(size_t index))
{
    struct row row;
    size_t count = 0;

    open_section(heading);
    for (; next_row(&row); count++) {
        assert_non_null(key(count));
        assert_string_equal(row.key, key(count));
    }
    assert_null(key(count));
    fclose(page);
}

static void the_page_lists_every_key_of_settings(void **state)
{
    (void)state;
    check_keys("## Settings\n", cushim__settings_key);
}

static void the_page_lists_every_key_of_profiles(void **state)
{
    (void)state;
    check_keys("## Profiles\n", cushim__profile_key);
}

/* But for the pointer to the costs of calls. */
static void assert_same(const struct cushim__settings *one, const struct cushim__settings *other)
{
    assert_int_equal(one->devices, other->devices);
    assert_int_equal(one->driver_version, other->driver_version);
    assert_int_equal(one->memory_bytes, other->memory_bytes);
    assert_int_equal(one->mode, other->mode);
    assert_int_equal(one->schedule, other->schedule);
    assert_int_equal(one->seed, other->seed);
    assert_int_equal(one->personality, other->personality);
    assert_int_equal(one->races, other->races);
    assert_int_equal(one->hostile, other->hostile);
    assert_int_equal(one->abort_on_violation, other->abort_on_violation);
    assert_int_equal(one->skip_unregistered, other->skip_unregistered);
    assert_int_equal(one->kernels, other->kernels);
    assert_int_equal(one->report_left, other->report_left);
    assert_int_equal(one->quiet, other->quiet);
    assert_memory_equal(&one->costs, &other->costs, sizeof one->costs);
    assert_string_equal(one->profile.name, other->profile.name);
}

static void the_defaults_of_the_page_change_nothing(void **state)
{
    struct cushim__settings expected, settings;
    char text[160], message[200];
    struct row row;
    size_t count = 0;

    (void)state;
    assert_int_equal(cushim__settings_default(&expected), CUDA_SUCCESS);
    open_section("## Settings\n");
    while (next_row(&row)) {
        /* What has no default is a setting for each of many names, or may come often. */
        assert_int_equal(row.default_value[0] == '\0',
                         strstr(row.key, "NAME") != NULL ||
                             cushim__settings_repeat(row.key, strlen(row.key)));
        if (!row.default_value[0])
            continue;
        assert_int_equal(cushim__settings_default(&settings), CUDA_SUCCESS);
        snprintf(text, sizeof text, "%s = %s", row.key, row.default_value);
        if (cushim__settings_parse(&settings, text, "page", message, sizeof message))
            fail_msg("%s", message);
        assert_same(&settings, &expected);
        cushim__settings_free(&settings);
        count++;
    }
    fclose(page);
    cushim__settings_free(&expected);
    assert_true(count > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_lists_every_key_of_settings),
        cmocka_unit_test(the_page_lists_every_key_of_profiles),
        cmocka_unit_test(the_defaults_of_the_page_change_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
