/* SPDX-License-Identifier: Apache-2.0 */
/* The result of a probe for drivers that return, and for invalid paths. */

#include "src/tool/probe/probe.h"

#include "tests/probe/probing.h"
#include "tests/support/cmocka.h"
#include "tests/support/environment.h"
#include "tests/support/folder.h"

static const struct driver {
    const char *file;
    enum probe_verdict verdict;
    enum cushim_state state;
    CUresult code;
    int devices;
    const char *reason, *advice; /* parts of them */
} drivers[] = {
    {"one-device", PROBE_USABLE, CUSHIM_STATE_READY, 0, 1, "CUDA 13.0", ""},
    {"no-devices", PROBE_ABSENT, CUSHIM_STATE_READY, 0, 0, "it has no device", "."},
    {"init-100", PROBE_ABSENT, CUSHIM_STATE_NO_DEVICE, 100, 0, "NO_DEVICE", "nvidia-smi"},
    {"init-803", PROBE_BROKEN, CUSHIM_STATE_KERNEL_MISMATCH, 803, 0, "MISMATCH", "release"},
    {"init-804", PROBE_BROKEN, CUSHIM_STATE_INIT_FAILED, 804, 0, "cuInit returned 804", "."},
    {"init-999", PROBE_BROKEN, CUSHIM_STATE_INIT_FAILED, 999, 0, "cuInit returned 999", "."},
    {"init-minus-1", PROBE_BROKEN, CUSHIM_STATE_INIT_FAILED, (CUresult)-1, 0, "cuInit returned -1",
     "."},
    {"version-minus-1", PROBE_BROKEN, CUSHIM_STATE_DRIVER_ERROR, (CUresult)-1, 0, "version", "."},
    {"count-3", PROBE_BROKEN, CUSHIM_STATE_READY, 3, 0, "cuDeviceGetCount returned 3", "."},
    {"stub", PROBE_ABSENT, CUSHIM_STATE_STUB, 34, 0, "link-time stub", "linking only"},
    {"no-init", PROBE_BROKEN, CUSHIM_STATE_NOT_A_DRIVER, 302, 0, "cuInit", "."},
    {"version-999", PROBE_BROKEN, CUSHIM_STATE_DRIVER_ERROR, 999, 0, "version", "."},
    {"needs-helper", PROBE_BROKEN, CUSHIM_STATE_NOT_LOADABLE, 303, 0, "cannot be opened", "."},
    {"nobody-built-this", PROBE_ABSENT, CUSHIM_STATE_NOT_FOUND, 303, 0, "there is no", "."},
};

PROBING_TEST(each_driver_has_its_verdict)
{
    for (size_t i = 0; i < COUNT(drivers); i++) {
        const struct driver *driver = &drivers[i];
        const struct probe_result probe =
            probing_probe(probing_path(driver->file), PROBING_LONG_NS);

        print_message("%s: %s\n", driver->file, probe.reason);
        assert_int_equal(probe.verdict, driver->verdict);
        assert_int_equal(probe.stage, PROBE_STAGE_DONE);
        assert_int_equal(probe.state, driver->state);
        assert_int_equal(probe.code, driver->code);
        assert_int_equal(probe.device_count, driver->devices);
        CONTAINS(probe.reason, driver->reason);
        CONTAINS(probe.advice, driver->advice);
        assert_int_equal(probe.exit_status, 0);
        assert_int_equal(probe.signal, 0);
    }
}

PROBING_TEST(usable_driver_has_version_and_path)
{
    const struct probe_result probe = probing_probe(probing_path("one-device"), PROBING_LONG_NS);

    assert_int_equal(probe.driver_version, 13000);
    CONTAINS(probe.library, "one-device" LIBRARY_SUFFIX);
    assert_string_equal(probe.advice, "");
}

PROBING_TEST(environment_is_handed_on)
{
    struct probe_result probe;

    if (!READS_ENVIRONMENT) {
        print_message("left out: an elevated process reads no CUSHIM_LIBRARY\n");
        return;
    }
    environment_set("CUSHIM_LIBRARY", "none");
    probe = probing_probe(NULL, PROBING_LONG_NS);
    assert_int_equal(probe.verdict, PROBE_ABSENT);
    assert_int_equal(probe.state, CUSHIM_STATE_DISABLED);
    environment_set("CUSHIM_LIBRARY", probing_path("one-device"));
    probe = probing_probe(NULL, PROBING_LONG_NS);
    assert_int_equal(probe.verdict, PROBE_USABLE);
    environment_set("CUSHIM_LIBRARY", NULL);
}

PROBING_TEST(path_of_any_characters_arrives)
{
    static const char *const names[] = {
        "a b" LIBRARY_SUFFIX,
        "'$(x)" LIBRARY_SUFFIX,
#ifndef _WIN32 /* not possible in Windows file names */
        "\xc3\xa9\xe2\x82\xac" LIBRARY_SUFFIX,
        "a\"b" LIBRARY_SUFFIX,
        "a\\\\\"" LIBRARY_SUFFIX,
        "a\n{}\t\x7f" LIBRARY_SUFFIX,
        "\xc2\x85\xe2\x80\xae" LIBRARY_SUFFIX,
#endif
    };

    for (size_t i = 0; i < COUNT(names); i++) {
        const struct probe_result probe =
            probing_probe(folder_link(names[i], probing_path("one-device")), PROBING_LONG_NS);

        print_message("%s\n", probe.reason);
        assert_int_equal(probe.verdict, PROBE_USABLE);
        CONTAINS(probe.library, names[i]);
    }
}

PROBING_TEST(time_that_is_over_at_once_is_a_hung_driver)
{
    struct probe_result probe;

    probing_set_action("hang", "open");
    probe = probing_probe(probing_path("misbehaving"), 1);
    probing_set_action(NULL, NULL);
    assert_int_equal(probe.verdict, PROBE_HUNG);
    assert_true(probe.stage <= PROBE_STAGE_LOAD);
    CONTAINS(probe.reason, " within 1e-09 s: ");
}

/* The process reports nothing before the library is open, so only the caller knows the name. */
PROBING_TEST(library_that_was_being_opened_is_reported_if_it_was_named)
{
    struct probe_result probe;

    probing_set_action("call-exit", "open");
    probe = probing_probe(probing_path("misbehaving"), PROBING_LONG_NS);
    assert_int_equal(probe.stage, PROBE_STAGE_LOAD);
    assert_string_equal(probe.library, probing_path("misbehaving"));
    if (READS_ENVIRONMENT) {
        environment_set("CUSHIM_LIBRARY", probing_path("misbehaving"));
        probe = probing_probe(NULL, PROBING_LONG_NS);
        environment_set("CUSHIM_LIBRARY", NULL);
        assert_int_equal(probe.stage, PROBE_STAGE_LOAD);
        assert_string_equal(probe.library, probing_path("misbehaving"));
    }
    probing_set_action(NULL, NULL);
}

PROBING_TEST(paths_that_are_none_are_refused_by_name)
{
    static char longest[2000];
    const struct {
        const char *path, *reason;
    } paths[] = {{"", ": the path is empty"},
                 {"here.so", ": the path is not absolute: here.so."},
                 {longest, ": the path is too long"}};

    memset(longest, 'x', sizeof longest - 1);
    memcpy(longest, probing_folder, strlen(probing_folder));
    for (size_t i = 0; i < COUNT(paths); i++) {
        struct probe_result probe;

        assert_int_equal(probe_run(probing_command, paths[i].path, 0, &probe),
                         CUDA_ERROR_INVALID_VALUE);
        assert_int_equal(probe.verdict, PROBE_UNKNOWN);
        CONTAINS(probe.reason, paths[i].reason);
        assert_string_not_equal(probe.advice, "");
    }
}

PROBING_TEST(command_that_is_missing_is_no_verdict)
{
    char path[1024];
    struct probe_result probe;

    snprintf(path, sizeof path, "%s/no/such/command", probing_folder);
    assert_int_equal(probe_run(path, NULL, 0, &probe), CUDA_ERROR_OPERATING_SYSTEM);
    assert_int_equal(probe.verdict, PROBE_UNKNOWN);
    CONTAINS(probe.reason, path);
    assert_string_not_equal(probe.advice, "");
    assert_int_equal(probe.exit_status, -1);
}

int main(int count, char **words)
{
    const int refused = probing_begin(count, words);
    const int failed = refused ? refused : run_all_tests(NULL, NULL);

    probing_count("drivers that come back", (int)COUNT(drivers));
    return failed;
}
