/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Malicious texts and files for the mock: each is refused with its name, and the mock neither waits
 * for one nor reads it without end.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cushim/testing/mock.h>

#include "src/base/system.h"
#include "tests/support/cmocka.h"
#include "tests/support/folder.h"

/* The time limit of the test, which only an endless wait reaches. */
enum { PATIENCE_SECONDS = 120 };

static struct cushim_mock *mock;
static char message[600];
static unsigned tried, refused;

/* How many files the mock has opened. */
static unsigned opened;
FILE *__real_cushim__system_open_file(const char *path);
FILE *__wrap_cushim__system_open_file(const char *path);

FILE *__wrap_cushim__system_open_file(const char *path)
{
    opened++;
    return __real_cushim__system_open_file(path);
}

static CUresult create(const char *file, const char *settings)
{
    const struct cushim_mock_options options = {
        .size = sizeof options,
        .file = file,
        .settings = settings,
        .message = message,
        .message_size = sizeof message,
    };

    opened = 0;
    tried++;
    return cushim_mock_create(&options, &mock);
}

static void assert_refused(CUresult code, CUresult expected, const char *words)
{
    if (code == CUDA_SUCCESS)
        cushim_mock_destroy(mock);
    assert_int_equal(code, expected);
    if (!strstr(message, words))
        fail_msg("\"%s\" does not say \"%s\"", message, words);
    refused++;
}

/* --- files --- */

static void make_socket(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int file = socket(AF_UNIX, SOCK_STREAM, 0);

    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    assert_int_equal(bind(file, (struct sockaddr *)&address, sizeof address), 0);
    close(file);
}

static void make_sparse(const char *path)
{
    const int file = open(path, O_CREAT | O_WRONLY, 0600);

    assert_int_equal(ftruncate(file, (off_t)10 << 30), 0);
    close(file);
}

static const struct {
    const char *path; /* in the folder, unless it is absolute */
    CUresult code;
    const char *words; /* NULL: the C library's text for the error number */
    int number;
    CUresult module; /* the result of cuModuleLoad */
} files[] = {
    {"pipe", CUDA_ERROR_INVALID_VALUE, "no regular file", 0, CUDA_ERROR_FILE_NOT_FOUND},
    {"socket", CUDA_ERROR_INVALID_VALUE, "no regular file", 0, CUDA_ERROR_FILE_NOT_FOUND},
    {"to-a-pipe", CUDA_ERROR_INVALID_VALUE, "no regular file", 0, CUDA_ERROR_FILE_NOT_FOUND},
    {"/dev/zero", CUDA_ERROR_INVALID_VALUE, "no regular file", 0, CUDA_ERROR_FILE_NOT_FOUND},
    {"/dev/urandom", CUDA_ERROR_INVALID_VALUE, "no regular file", 0, CUDA_ERROR_FILE_NOT_FOUND},
    {"/dev/tty", CUDA_ERROR_INVALID_VALUE, "no regular file", 0, CUDA_ERROR_FILE_NOT_FOUND},
    {"sparse", CUDA_ERROR_INVALID_VALUE, "larger than 1 MiB", 0, CUDA_ERROR_OUT_OF_MEMORY},
    {"folder", CUDA_ERROR_FILE_NOT_FOUND, NULL, EISDIR, CUDA_ERROR_OUT_OF_MEMORY},
    {"to-itself", CUDA_ERROR_FILE_NOT_FOUND, NULL, ELOOP, CUDA_ERROR_FILE_NOT_FOUND},
    {"gone", CUDA_ERROR_FILE_NOT_FOUND, NULL, ENOENT, CUDA_ERROR_FILE_NOT_FOUND},
};

static const char *words_of(size_t i)
{
    return files[i].words ? files[i].words : strerror(files[i].number);
}

static const char *path_of(const char *name)
{
    return name[0] == '/' ? name : folder_path(name);
}

static int make_files(void **state)
{
    folder_create(state);
    folder_pipe("pipe");
    folder_link("to-a-pipe", "pipe");
    folder_link("to-itself", "to-itself");
    folder_subfolder("folder");
    make_socket(folder_path("socket"));
    make_sparse(folder_path("sparse"));
    alarm(PATIENCE_SECONDS);
    return 0;
}

TEST_ALONE(settings_in_what_is_no_file_are_refused)
{
    for (size_t i = 0; i < COUNT(files); i++)
        assert_refused(create(path_of(files[i].path), NULL), files[i].code, words_of(i));
}

TEST_ALONE(profile_in_what_is_no_file_is_refused)
{
    char text[FOLDER_PATH_BYTES + 32];

    for (size_t i = 0; i < COUNT(files); i++) {
        snprintf(text, sizeof text, "profile = %s", path_of(files[i].path));
        assert_refused(create(NULL, text), files[i].code, words_of(i));
    }
}

TEST_ALONE(module_in_what_is_no_file_is_refused)
{
    const struct cushim_table *driver;
    CUcontext context;
    CUmodule module;

    assert_int_equal(create(NULL, NULL), CUDA_SUCCESS);
    driver = cushim_mock_table(mock);
    assert_int_equal(driver->Init(0), CUDA_SUCCESS);
    assert_int_equal(driver->DevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
    assert_int_equal(driver->CtxSetCurrent(context), CUDA_SUCCESS);
    for (size_t i = 0; i < COUNT(files); i++, tried++, refused++)
        assert_int_equal(driver->ModuleLoad(&module, path_of(files[i].path)), files[i].module);
    assert_int_equal(driver->DevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
    assert_int_equal(cushim_mock_destroy(mock), CUDA_SUCCESS);
}

static atomic_bool is_enough;

static void *grow(void *path)
{
    static const char line[] = "# and one more line\n";
    const int file = open(path, O_WRONLY | O_APPEND);

    for (size_t i = 0; !atomic_load(&is_enough) && i < (size_t)64 << 20; i += sizeof line - 1) {
        if (write(file, line, sizeof line - 1) < 0)
            break;
    }
    close(file);
    return NULL;
}

/*
 * The mock reads the file while it is small, or refuses it when it is large; it ends in both cases.
 */
TEST_ALONE(file_that_grows_has_an_end)
{
    static char path[FOLDER_PATH_BYTES];
    pthread_t writer;
    CUresult code = CUDA_SUCCESS;

    snprintf(path, sizeof path, "%s", folder_write("growing", "schema = 1\n", 11));
    assert_int_equal(pthread_create(&writer, NULL, grow, path), 0);
    while (code == CUDA_SUCCESS) {
        code = create(path, NULL);
        if (code == CUDA_SUCCESS)
            cushim_mock_destroy(mock);
    }
    atomic_store(&is_enough, true);
    pthread_join(writer, NULL);
    assert_refused(code, CUDA_ERROR_INVALID_VALUE, "larger than 1 MiB");
}

/* --- files that name other files --- */

static void write_text(const char *name, const char *text)
{
    folder_write(name, text, strlen(text));
}

TEST_ALONE(files_that_lead_to_themselves_are_refused)
{
    write_text("self.conf", "schema = 1\nprofile = self.conf\n");
    assert_refused(create(folder_path("self.conf"), NULL), CUDA_ERROR_INVALID_VALUE,
                   "self.conf:2:1: there is no key \"profile\"");
    assert_in_range(opened, 2, 3);
    write_text("one.conf", "schema = 1\nprofile = two.conf\n");
    write_text("two.conf", "schema = 1\nprofile = one.conf\n");
    assert_refused(create(folder_path("one.conf"), NULL), CUDA_ERROR_INVALID_VALUE,
                   "two.conf:2:1: there is no key \"profile\"");
    assert_in_range(opened, 2, 3);
}

/* If a file of 1 MiB contained only this line, a profile would be read 60,000 times. */
TEST_ALONE(profile_that_is_named_often_is_read_once)
{
    static const char line[] = "profile = a.profile\n";
    const size_t lines = 10000, length = sizeof line - 1;
    char *text = malloc(lines * length + 12);

    write_text("a.profile", "schema = 1\nname = x\ndriver_version = 12.2\nmemory_bytes = 16 MiB\n");
    memcpy(text, "schema = 1\n", 11);
    for (size_t i = 0; i < lines; i++)
        memcpy(text + 11 + i * length, line, length);
    folder_write("often.conf", text, lines * length + 11);
    free(text);
    assert_refused(create(folder_path("often.conf"), NULL), CUDA_ERROR_INVALID_VALUE,
                   "often.conf:3:1: line 2 has set profile already");
    assert_in_range(opened, 2, 3); /* the settings, the profile, and whether it is a profile */
}

/* --- long texts --- */

/* A text of a beginning, a repeated piece, and an end. */
static char *build(const char *start, const char *piece, size_t count, const char *end)
{
    const size_t length = strlen(piece);
    char *text = malloc(strlen(start) + count * length + strlen(end) + 1), *at = text;

    assert_non_null(text);
    at += strlen(strcpy(at, start));
    for (size_t i = 0; i < count; i++, at += length)
        memcpy(at, piece, length);
    strcpy(at, end);
    return text;
}

static const struct {
    const char *start, *piece, *end;
    const char *words;
} texts[] = {
    {"", "\n", "x", ":1000001:2: a line is `key = value`"},
    {"", "# a comment\n", "mode = x", ":1000001:8: mode is manual"},
    {"", "k", "", "a line is `key = value`"},
    {"", "k", " = 1", "there is no key \"kkkkkkkk"},
    {"devices = ", "9", "", ":1:11: devices is a whole number from 0 to 16, not \"99999999"},
    {"memory = ", "1", " TiB", ":1:10: memory is a size from 1 MiB to 1 TiB"},
    {"cost.call = ", "1", "s", ":1:13: cost.call is a duration"},
    {"driver_version = 1", "3", ".0", "driver_version is a version of CUDA"},
    {"profile = /", "p/", "", ""},
    {"attribute.", "1", " = 1", "there is no key"},
    {"fault = ", "(", "", ":1:9: \"=>\" is missing"},
    {"fault = ", "cuInit:", " => hang", "there is no condition"},
    {"fault = cuInit:nth=", "1", " => hang", "nth is a whole number from 1 on"},
    {"fault = cuInit:", "nth=1,", "nth=1 => hang", "nth is said twice"},
    {"fault = cuInit => return(", "(", ")", "there is no error"},
    {"fault = cuInit => ", "hang => ", "hang", "there is no effect"},
    {"fault = ", "*", " => hang", "a site is at most"},
    {"fault = cuInit@dev", "1", " => hang", "dev"},
    {"fault = cuInit:p=0.", "1", " => hang", "p is above 0 and at most 1"},
    {"", "fault = cuInit => hang\n", "", ":65:9: there are 64 rules already"},
    {"devices = 1 ", "\t", "\x01", "a control character, of code 1"},
};

TEST_ALONE(long_texts_are_refused_where_they_go_wrong)
{
    for (size_t i = 0; i < COUNT(texts); i++) {
        char *text = build(texts[i].start, texts[i].piece, 1000000, texts[i].end);
        const CUresult code = create(NULL, text);

        free(text);
        assert_refused(code, CUDA_ERROR_INVALID_VALUE, texts[i].words);
    }
}

static int report(void **state)
{
    alarm(0);
    fprintf(stderr, "texts and files: %u tried, %u refused, 0 waited for, 0 crashed\n", tried,
            refused);
    return folder_remove(state);
}

int main(void)
{
    return run_all_tests(make_files, report);
}
