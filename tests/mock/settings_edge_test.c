/* SPDX-License-Identifier: Apache-2.0 */
/* Settings that are too long, files that are none, and lines of the log that would not be lines. */
#include <stdio.h>
#include <string.h>

#include "tests/mock/world.h"
#include "tests/support/folder.h"

static char message[2000];

static CUresult create(const char *settings, const char *file)
{
    const struct cushim_mock_options options = {.size = sizeof options,
                                                .settings = settings,
                                                .file = file,
                                                .message = message,
                                                .message_size = sizeof message};
    struct cushim_mock *mock = NULL;
    const CUresult code = cushim_mock_create(&options, &mock);

    if (code == CUDA_SUCCESS)
        OK(cushim_mock_destroy(mock));
    else
        assert_null(mock);
    return code;
}

/* Of a profile: the only text that is kept. */
static void name_that_is_too_long_is_refused_and_not_cut(void **state)
{
    char profile[600] = "schema = 1\nname = ", settings[700];
    const size_t start = strlen(profile);

    (void)state;
    memset(profile + start, 'n', 300);
    strcpy(profile + start + 300, "\n");
    snprintf(settings, sizeof settings, "profile = %s",
             folder_write("long.profile", profile, strlen(profile)));
    CODE(CUDA_ERROR_INVALID_VALUE, create(settings, NULL));
    assert_non_null(strstr(message, "long.profile:2:8: name is a name of at most 255 "));
}

#ifndef _WIN32
static void file_that_never_ends_is_not_read(void **state)
{
    (void)state;
    CODE(CUDA_ERROR_INVALID_VALUE, create(NULL, "/dev/zero"));
    assert_string_equal(message, "/dev/zero: no regular file");
    CODE(CUDA_ERROR_INVALID_VALUE, create(NULL, folder_pipe("pipe")));
    assert_non_null(strstr(message, "/pipe: no regular file"));
}
#endif

/* --- the log --- */

static char logged[4000];

static void keep(void *data, const char *line)
{
    (void)data;
    snprintf(logged + strlen(logged), sizeof logged - strlen(logged), "%s\n", line);
}

/* A kernel's name is the program's, and may hold anything. */
static void line_of_the_log_stays_one_line(void **state)
{
    static char image[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                          ".visible .entry k() { ret; }\n\x1b[31m\x07.";
    CUmodule module = NULL;

    (void)state;
    world_begin(NULL);
    logged[0] = '\0';
    cushim_mock_log_set(world, keep, NULL);
    assert_int_not_equal(driver->ModuleLoadData(&module, image), CUDA_SUCCESS);
    assert_non_null(strstr(logged, "an image is refused: "));
    for (const char *at = logged; *at; at++)
        assert_true((unsigned char)*at >= ' ' || *at == '\n');
    assert_int_equal(logged[strlen(logged) - 1], '\n');
    world_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(name_that_is_too_long_is_refused_and_not_cut),
#ifndef _WIN32
        cmocka_unit_test(file_that_never_ends_is_not_read),
#endif
        cmocka_unit_test(line_of_the_log_stays_one_line),
    };

    return cmocka_run_group_tests(tests, folder_create, folder_remove);
}
