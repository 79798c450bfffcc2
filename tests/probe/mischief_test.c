/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drivers that hang, crash or worse: each mischief as the library is opened, in cuInit, and as the
 * devices are counted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/probe/probing.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct moment {
    const char *when, *words;
    enum cushim_probe_stage stage;
} moments[] = {
    {"open", "while its library was opened", CUSHIM_PROBE_STAGE_LOAD},
    {"init", "in cuInit", CUSHIM_PROBE_STAGE_INIT},
    {"count", "in cuDeviceGetCount", CUSHIM_PROBE_STAGE_COUNT},
};

static int planted;

static void check_end(const struct mischief *mischief, const struct cushim_probe_result *probe)
{
    if (mischief->is_uncertain && IS_SANITIZED) {
        assert_true(probe->signal != 0 || probe->exit_status > 0);
        return;
    }
    assert_int_equal(probe->exit_status, mischief->exit_status);
    assert_int_equal(probe->signal, mischief->signal);
    assert_non_null(strstr(probe->reason, mischief->reason));
}

static void check_case(const struct mischief *mischief, const struct moment *moment)
{
    const bool is_hung = mischief->verdict == CUSHIM_PROBE_HUNG;
    const bool is_usable = mischief->verdict == CUSHIM_PROBE_USABLE;
    struct cushim_probe_result probe;
    char path[1024];

    probing_set_mischief(mischief->name, moment->when);
    probe = is_hung ? probing_probe_hung(moment->stage)
                    : probing_probe(probing_driver("mischief", path, sizeof path), PROBING_LONG_NS);
    planted++;
    if (probe.verdict != mischief->verdict)
        print_message("%s at %s: %s\n", mischief->name, moment->when, probe.reason);
    assert_int_equal(probe.verdict, mischief->verdict);
    if (mischief->is_caught && moment->stage == CUSHIM_PROBE_STAGE_LOAD) {
        assert_int_equal(probe.stage, CUSHIM_PROBE_STAGE_DONE);
        assert_int_equal(probe.state, CUSHIM_STATE_NOT_LOADABLE);
        return;
    }
    assert_int_equal(probe.stage, is_usable ? CUSHIM_PROBE_STAGE_DONE : moment->stage);
    check_end(mischief, &probe);
    assert_int_equal(probe.left_process, 0);
    if (is_usable) {
        assert_int_equal(probe.device_count, 1);
        return;
    }
    assert_non_null(strstr(probe.reason, moment->words));
    /* The path that was given, as it was, or as the system calls it. */
    assert_non_null(strstr(probe.library, "mischief" LIBRARY_SUFFIX));
    assert_non_null(strstr(probe.reason, "mischief" LIBRARY_SUFFIX));
    assert_int_equal(probe.driver_version, moment->stage == CUSHIM_PROBE_STAGE_LOAD ? 0 : 13000);
    assert_non_null(strstr(probe.advice, "Do not use the driver in this process"));
    assert_int_equal(probe.device_count, 0);
    assert_int_equal(probe.state, CUSHIM_STATE_UNTRIED);
}

static void check_all(const struct moment *moment)
{
    for (const struct mischief *mischief = mischiefs; mischief->name; mischief++) {
        check_case(mischief, moment);
        left_check(NULL);
    }
    probing_set_mischief(NULL, NULL);
}

static void mischief_in_a_constructor_is_told_and_leaves_nothing(void **state)
{
    (void)state;
    check_all(&moments[0]);
}

static void mischief_in_init_is_told_and_leaves_nothing(void **state)
{
    (void)state;
    check_all(&moments[1]);
}

static void mischief_as_devices_are_counted_is_told_and_leaves_nothing(void **state)
{
    (void)state;
    check_all(&moments[2]);
}

int main(int count, char **words)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(mischief_in_a_constructor_is_told_and_leaves_nothing,
                                        left_begin, left_check),
        cmocka_unit_test_setup_teardown(mischief_in_init_is_told_and_leaves_nothing, left_begin,
                                        left_check),
        cmocka_unit_test_setup_teardown(mischief_as_devices_are_counted_is_told_and_leaves_nothing,
                                        left_begin, left_check),
    };
    const int refused = probing_begin(count, words);
    const int failed = refused ? refused : cmocka_run_group_tests(tests, NULL, NULL);

    probing_count("mischiefs planted in drivers", planted);
    probing_count("their children ended with them", left_orphans);
    probing_count("lost or crashed", failed);
    return failed;
}
