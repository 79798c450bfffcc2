/* SPDX-License-Identifier: Apache-2.0 */
/* The lifecycle of a mock: creation from options, installation, queries, destruction. */

#include <cushim/driver.h>

#include "tests/mock/fixture.h"
#include "tests/support/folder.h"

static char last_line[300];
static unsigned lines;

static CUresult create(const char *settings, const char *file, char *message, size_t size)
{
    return cushim_mock_create(
        &(struct cushim_mock_options){.size = sizeof(struct cushim_mock_options),
                                      .settings = settings,
                                      .file = file,
                                      .message = message,
                                      .message_size = size},
        &fixture_mock);
}

static int setup(void **state)
{
    fixture_mock = NULL;
    lines = 0;
    OK(create("", NULL, NULL, 0));
    driver = cushim_mock_table(fixture_mock);
    return 0;
}

static int teardown(void **state)
{
    cushim_mock_destroy(fixture_mock);
    fixture_mock = NULL;
    return cushim_mock_current() != NULL;
}

#define TEST(name) TEST_BETWEEN(name, setup, teardown)

static void note(void *data, const char *text)
{
    assert_ptr_equal(data, &lines);
    snprintf(last_line, sizeof last_line, "%s", text);
    lines++;
}

TEST(one_mock_exists_at_a_time)
{
    struct cushim_mock *second = (struct cushim_mock *)&lines;

    assert_ptr_equal(cushim_mock_current(), fixture_mock);
    CODE(CUDA_ERROR_ALREADY_ACQUIRED, cushim_mock_create(NULL, &second));
    assert_ptr_equal(second, &lines);
    OK(cushim_mock_destroy(fixture_mock));
    assert_null(cushim_mock_current());
    OK(cushim_mock_create(NULL, &fixture_mock));
    assert_ptr_equal(cushim_mock_current(), fixture_mock);
}

TEST(options_that_cannot_be_understood_are_refused)
{
    struct cushim_mock_options options = {.size = 1};
    struct cushim_mock *made = NULL;

    teardown(state);
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_mock_create(NULL, NULL));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_mock_create(&options, &made));
    assert_null(made);
    options.size = sizeof options;
    OK(cushim_mock_create(&options, &fixture_mock));
}

TEST(refused_setting_says_where_and_leaves_no_mock)
{
    char message[200] = "not touched";

    teardown(state);
    CODE(CUDA_ERROR_INVALID_VALUE, create("mode = fast", NULL, message, sizeof message));
    CONTAINS(message, "settings:1:");
    CONTAINS(message, "fast");
    assert_null(fixture_mock);
    assert_null(cushim_mock_current());
    CODE(CUDA_ERROR_INVALID_VALUE, create("mode = fast", NULL, NULL, 100));
    OK(create("mode = manual", NULL, message, sizeof message));
    assert_string_equal(message, "");
}

TEST(file_is_read_before_the_settings)
{
    char message[200];
    const char *path = "mock_test.conf";
    FILE *file = fopen(path, "w");

    teardown(state);
    assert_non_null(file);
    fputs("schema = 1\ndevices = 2\ndriver_version = 12.0\n", file);
    assert_int_equal(fclose(file), 0);
    OK(create("devices = 3", path, message, sizeof message));
    remove(path);
    CONTAINS(cushim_mock_identity(), "3 devices");
    CONTAINS(cushim_mock_identity(), "12.0");
    bare_end();
    CODE(CUDA_ERROR_FILE_NOT_FOUND, create(NULL, "no/such/file", message, sizeof message));
    CONTAINS(message, "no/such/file");
}

TEST(identity_says_that_this_is_no_gpu)
{
    CONTAINS(cushim_mock_identity(), "cushim mock ");
    CONTAINS(cushim_mock_identity(), "13.0");
    CONTAINS(cushim_mock_identity(), "this is not a GPU");
    teardown(state);
    CONTAINS(cushim_mock_identity(), "no mock exists");
    CONTAINS(cushim_mock_identity(), "this is not a GPU");
}

TEST(calls_after_the_mock_answer_that_it_is_gone)
{
    int version = 5;

    OK(driver->DriverGetVersion(&version));
    teardown(state);
    CODE(CUDA_ERROR_DEINITIALIZED, driver->DriverGetVersion(&version));
    CODE(CUDA_ERROR_DEINITIALIZED, driver->Init(0));
}

TEST(installed_table_is_current_until_the_mock_is_destroyed)
{
    const struct cushim_table *before = cushim_driver();

    OK(cushim_mock_install(fixture_mock));
    assert_ptr_equal(cushim_driver(), driver);
    OK(cushim_mock_install(fixture_mock));
    OK(cushim_driver()->Init(0));
    teardown(state);
    assert_ptr_equal(cushim_driver(), before);
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_mock_install(NULL));
}

TEST(layer_over_the_installed_table_is_left_alone)
{
    struct cushim_table layer = *driver;
    const struct cushim_table *before = cushim_driver();

    OK(cushim_mock_install(fixture_mock));
    OK(cushim_table_install(&layer, NULL));
    teardown(state);
    assert_ptr_equal(cushim_driver(), &layer);
    OK(cushim_table_install(before, NULL));
}

TEST(state_counts_calls_and_misuses)
{
    struct cushim_mock_state known = {.size = sizeof known};
    CUevent event = (CUevent)0x1234;

    OK(driver->Init(0));
    CODE(CUDA_ERROR_INVALID_HANDLE, driver->EventQuery(event));
    OK(cushim_mock_get_state(fixture_mock, &known));
    assert_int_equal(known.calls, 2);
    assert_int_equal(known.misuses, 1);
    assert_int_equal(known.handles, 0);
    assert_int_equal(known.size, sizeof known);
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_mock_get_state(NULL, &known));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_mock_get_state(fixture_mock, NULL));
    known.size--;
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_mock_get_state(fixture_mock, &known));
}

TEST(newer_callers_state_keeps_what_is_not_known_here)
{
    struct {
        struct cushim_mock_state known;
        uint64_t more;
    } larger = {.known.size = sizeof larger, .more = 77};

    OK(cushim_mock_get_state(fixture_mock, &larger.known));
    assert_int_equal(larger.more, 77);
    assert_int_equal(larger.known.size, sizeof larger);
}

TEST(misuses_are_kept_reported_and_fail_the_end)
{
    OK(driver->Init(0));
    cushim_mock_set_log(fixture_mock, note, &lines);
    for (uintptr_t i = 0; i < 70; i++)
        driver->EventQuery((CUevent)(0x1000 + i));
    assert_int_equal(fixture_state().misuses, 70);
    assert_int_equal(lines, 70);
    CONTAINS(last_line, "cuEventQuery: 0x1045 is not the handle of an event; in cuEventQuery, "
                        "call 71 of ");
    assert_string_equal(fixture_misuse(1), "cuEventQuery: 0x1001 is not the handle of an event");
    assert_non_null(cushim_mock_misuse(fixture_mock, 63));
    assert_null(cushim_mock_misuse(fixture_mock, 64));
    assert_null(cushim_mock_misuse(NULL, 0));
    CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_mock_destroy(fixture_mock));
    fixture_mock = NULL;
    OK(cushim_mock_destroy(NULL));
}

TEST(log_goes_nowhere_unless_it_is_asked_for)
{
    CODE(CUDA_ERROR_NOT_INITIALIZED, driver->GLInit());
    OK(driver->Init(0));
    cushim_mock_set_log(fixture_mock, note, &lines);
    CODE(CUDA_ERROR_NOT_SUPPORTED, driver->WGLGetDevice(NULL, NULL));
    assert_string_equal(last_line, "cuWGLGetDevice is not implemented: CUDA_ERROR_NOT_SUPPORTED");
    cushim_mock_set_log(fixture_mock, NULL, NULL);
    driver->EventQuery((CUevent)0x1000);
    assert_int_equal(lines, 1);
    cushim_mock_set_log(NULL, note, NULL);
    cushim_mock_set_trace(NULL, NULL, NULL);
}

/*
 * Destroying a mock with objects of every kind: objects that the program has left are freed, in any
 * order.
 */

enum { KERNELS = 3 };

static const char left_image[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                                 ".visible .global .align 4 .b8 bytes[12];\n"
                                 ".visible .entry k0() { ret; }\n"
                                 ".visible .entry k1() { ret; }\n"
                                 ".visible .entry k2() { ret; }\n";
static const char *const names[KERNELS] = {"k0", "k1", "k2"};

static void CUDA_CB do_nothing(void *data)
{
    (void)data;
}

/* Several of each kind, because each is removed from a list. */
static void leave_modules(void)
{
    CUfunction function;
    CUlibrary library;
    CUmodule module;
    CUkernel kernel;

    for (unsigned round = 0; round < 2; round++) {
        OK(driver->ModuleLoadData(&module, left_image));
        OK(driver->LibraryLoadData(&library, left_image, NULL, NULL, 0, NULL, NULL, 0));
        for (unsigned i = 0; i < KERNELS; i++) {
            OK(driver->ModuleGetFunction(&function, module, names[i]));
            OK(driver->LibraryGetKernel(&kernel, library, names[i]));
            OK(driver->KernelGetFunction(&function, kernel));
        }
    }
}

static void leave_work(void)
{
    const CUDA_HOST_NODE_PARAMS parameters = {do_nothing, NULL};
    const CUstream stream = fixture_stream(), waiting = fixture_stream();
    const CUevent event = fixture_event();
    CUgraph graph, inner;
    CUgraphNode node;
    CUgraphExec exec;

    OK(driver->GraphCreate(&inner, 0));
    OK(driver->GraphAddHostNode(&node, inner, NULL, 0, &parameters));
    OK(driver->GraphCreate(&graph, 0));
    OK(driver->GraphAddChildGraphNode(&node, graph, NULL, 0, inner));
    OK(driver->GraphInstantiateWithFlags(&exec, graph, 0));
    OK(driver->GraphLaunch(exec, stream));
    OK(driver->EventRecord(event, stream));
    OK(driver->StreamWaitEvent(waiting, event, 0));
    OK(driver->LaunchHostFunc(waiting, do_nothing, NULL));
}

TEST_ALONE(mock_ends_with_what_the_program_has_left)
{
    CUcontext context;

    for (unsigned round = 0; round < 2; round++) {
        fixture_begin("mode = manual");
        leave_modules();
        leave_work();
        OK(driver->CtxCreate_v2(&context, 0, 0));
        leave_modules();
        leave_work();
        assert_true(fixture_state().pending > 0);
        assert_true(fixture_state().handles > 8);
        OK(cushim_mock_destroy(fixture_mock));
        assert_null(cushim_mock_current());
    }
    fixture_begin(NULL);
    fixture_end();
}

/* Settings that are too long, paths that are not files, and log lines with line breaks. */

/* The name of a profile is the only text that the mock keeps. */
TEST_ALONE(name_that_is_too_long_is_refused_and_not_cut)
{
    char profile[600] = "schema = 1\nname = ", settings[700], message[2000];
    const size_t start = strlen(profile);

    memset(profile + start, 'n', 300);
    strcpy(profile + start + 300, "\n");
    snprintf(settings, sizeof settings, "profile = %s",
             folder_write("long.profile", profile, strlen(profile)));
    fixture_mock = NULL;
    CODE(CUDA_ERROR_INVALID_VALUE, create(settings, NULL, message, sizeof message));
    assert_null(fixture_mock);
    CONTAINS(message, "long.profile:2:8: name is a name of at most 255 ");
}

#ifndef _WIN32
TEST_ALONE(file_that_never_ends_is_not_read)
{
    char message[2000];

    CODE(CUDA_ERROR_INVALID_VALUE, create(NULL, "/dev/zero", message, sizeof message));
    assert_string_equal(message, "/dev/zero: no regular file");
    CODE(CUDA_ERROR_INVALID_VALUE, create(NULL, folder_pipe("pipe"), message, sizeof message));
    CONTAINS(message, "/pipe: no regular file");
}
#endif

/* --- the log --- */

static char logged[4000];

static void keep(void *data, const char *line)
{
    (void)data;
    snprintf(logged + strlen(logged), sizeof logged - strlen(logged), "%s\n", line);
}

/* The name of a kernel comes from the program, and may contain any characters. */
TEST_ALONE(line_of_the_log_stays_one_line)
{
    static char image[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                          ".visible .entry k() { ret; }\n\x1b[31m\x07.";
    CUmodule module = NULL;

    fixture_begin(NULL);
    logged[0] = '\0';
    cushim_mock_set_log(fixture_mock, keep, NULL);
    assert_int_not_equal(driver->ModuleLoadData(&module, image), CUDA_SUCCESS);
    CONTAINS(logged, "PTX is refused: line 5");
    for (const char *at = logged; *at; at++)
        assert_true((unsigned char)*at >= ' ' || *at == '\n');
    assert_int_equal(logged[strlen(logged) - 1], '\n');
    fixture_end();
}

int main(void)
{
    return run_all_tests(folder_create, folder_remove);
}
