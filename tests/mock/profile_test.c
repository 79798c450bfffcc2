/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of settings and of profiles: what a file must contain, and what settings take from a
 * profile.
 */

#include "loader/versions.h"
#include "src/mock/config/settings.h"
#include "tests/support/cmocka.h"
#include "tests/support/folder.h"

#define PROFILE                                                                    \
    "schema = 1\nname = Small GPU\ndriver_version = 12.2\nmemory_bytes = 16 MiB\n" \
    "priority.least = 0\npriority.greatest = -1\nattribute.WARP_SIZE = 8\nlimit.STACK_SIZE = 512\n"

static struct mock_settings settings;
static char message[400];

static void write_text(const char *name, const char *text)
{
    folder_write(name, text, strlen(text));
}

static CUresult read_file(const char *name)
{
    cushim__mock_settings_free(&settings);
    assert_int_equal(cushim__mock_settings_default(&settings), CUDA_SUCCESS);
    return cushim__mock_settings_read(&settings, folder_path(name), message, sizeof message);
}

static void read_well(const char *name)
{
    if (read_file(name) != CUDA_SUCCESS)
        fail_msg("%s", message);
}

/* The part of `message` after the folder and the slash. */
static const char *reason(void)
{
    const char *folder = folder_path("");

    assert_memory_equal(message, folder, strlen(folder));
    return message + strlen(folder);
}

static int teardown(void **state)
{
    cushim__mock_settings_free(&settings);
    return folder_remove(state);
}

TEST_ALONE(a_file_begins_with_its_schema)
{
    write_text("mock.conf", "# a comment may come before it\n\nschema = 1\ndevices = 4\n");
    read_well("mock.conf");
    assert_int_equal(settings.devices, 4);

    write_text("mock.conf", "\n devices = 4\nschema = 1\n");
    assert_int_equal(read_file("mock.conf"), CUDA_ERROR_INVALID_VALUE);
    assert_string_equal(reason(), "mock.conf:2:2: a file of settings begins with `schema = 1`");

    write_text("mock.conf", "");
    assert_int_equal(read_file("mock.conf"), CUDA_ERROR_INVALID_VALUE);
    assert_string_equal(reason(), "mock.conf:1:1: a file of settings begins with `schema = 1`");
}

TEST_ALONE(a_key_of_a_file_comes_once)
{
    static const char *const cases[][2] = {
        {"schema = 1\nmode = auto\nmode = auto", "mock.conf:3:1: line 2 has set mode already"},
        {"schema = 1\nattribute.1 = 5\n#\nattribute.MAX_THREADS_PER_BLOCK = 5",
         "mock.conf:4:1: line 2 has set attribute.MAX_THREADS_PER_BLOCK already"},
        {"schema = 1\ndevices = 1\nfault = cuInit => hang\nfault = cuInit => hang\ndevices = 1",
         "mock.conf:5:1: line 2 has set devices already"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        write_text("mock.conf", cases[i][0]);
        assert_int_equal(read_file("mock.conf"), CUDA_ERROR_INVALID_VALUE);
        assert_string_equal(reason(), cases[i][1]);
    }
}

TEST_ALONE(a_file_that_is_no_text_is_refused)
{
    static const char nul[] = "schema = 1\n\0devices = 4\n";
    char *large = malloc((1 << 20) + 1);

    folder_write("mock.conf", nul, sizeof nul - 1);
    assert_int_equal(read_file("mock.conf"), CUDA_ERROR_INVALID_VALUE);
    assert_string_equal(reason(), "mock.conf: not a text, for it has a NUL character");

    assert_non_null(large);
    memset(large, '\n', (1 << 20) + 1);
    memcpy(large, "schema = 1", strlen("schema = 1"));
    folder_write("mock.conf", large, (1 << 20) + 1);
    assert_int_equal(read_file("mock.conf"), CUDA_ERROR_INVALID_VALUE);
    assert_string_equal(reason(), "mock.conf: larger than 1 MiB");
    folder_write("mock.conf", large, 1 << 20);
    free(large);
    read_well("mock.conf");
}

TEST_ALONE(a_file_that_cannot_be_read_is_named)
{
    remove(folder_path("mock.conf"));
    assert_int_equal(read_file("mock.conf"), CUDA_ERROR_FILE_NOT_FOUND);
    assert_string_equal(reason(), "mock.conf: No such file or directory");
    assert_int_equal(read_file(""), CUDA_ERROR_FILE_NOT_FOUND);
    assert_string_equal(reason(), ": Is a directory");
}

TEST_ALONE(a_profile_beside_the_settings_replaces_the_built_in_one)
{
    write_text("small.profile", PROFILE);
    write_text("mock.conf", "schema = 1\nattribute.5 = 6\nprofile = small.profile\n");
    read_well("mock.conf");
    assert_string_equal(settings.profile.name, "Small GPU");
    assert_int_equal(settings.driver_version, 12020);
    assert_int_equal(settings.memory_bytes, (size_t)2 << 30);
    assert_int_equal(settings.profile.greatest_priority, -1);
    assert_int_equal(settings.profile.attributes[10], 8);
    assert_int_equal(settings.profile.limits[0], 512);
    /*
     * Nothing of the former profile is left; a setting next to the key `profile` overrides the new
     * profile.
     */
    assert_false(settings.profile.has_attribute[75]);
    assert_int_equal(settings.profile.attributes[5], 6);
}

TEST_ALONE(version_and_memory_are_the_profiles_unless_they_are_set)
{
    write_text("small.profile", PROFILE);
    write_text("mock.conf",
               "schema = 1\ndriver_version = 11.4\nmemory = profile\nprofile = small.profile\n");
    read_well("mock.conf");
    assert_int_equal(settings.driver_version, 11040);
    assert_int_equal(settings.memory_bytes, 16 << 20);
    assert_int_equal(
        cushim__mock_settings_parse(&settings, "profile = h200", "text", message, sizeof message),
        CUDA_SUCCESS);
    assert_int_equal(settings.driver_version, 11040);
    assert_true(settings.memory_bytes == 150109880320);
}

TEST_ALONE(a_profile_of_a_newer_driver_is_that_of_the_newest_known)
{
    write_text("small.profile",
               "schema = 1\nname = New\ndriver_version = 99.0\nmemory_bytes = 16 MiB\n");
    write_text("mock.conf", "schema = 1\nprofile = ./small.profile\n");
    read_well("mock.conf");
    assert_int_equal(settings.driver_version, CUSHIM__NEWEST_VERSION);
}

TEST_ALONE(a_profile_is_read_as_strictly)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"name = x\n", "small.profile:1:1: a profile begins with `schema = 1`"},
        {"schema = 1\nname = x\nmemory_bytes = 16 MiB\n",
         "small.profile:3:1: a profile needs the key driver_version"},
        {"schema = 1\nmode = auto\n", "small.profile:2:1: there is no key \"mode\""},
        {"schema = 1\npriority.least = low\n",
         "small.profile:2:18: priority.least is a whole number, not \"low\""},
        {"schema = 1\ndriver_version = 9.0\n", "small.profile:2:18: driver_version is a version of "
                                               "CUDA from 10.0 on, as 12.8 or 12080, not \"9.0\""},
    };

    write_text("mock.conf", "schema = 1\nprofile = small.profile\n");
    for (size_t i = 0; i < COUNT(cases); i++) {
        write_text("small.profile", cases[i].text);
        assert_int_equal(read_file("mock.conf"), CUDA_ERROR_INVALID_VALUE);
        assert_string_equal(reason(), cases[i].message);
    }
}

int main(void)
{
    return run_all_tests(folder_create, teardown);
}
