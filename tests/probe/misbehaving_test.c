/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drivers that hang, crash or do other harm: when the library is opened, in cuInit, and when
 * devices are counted.
 */

#include "tests/probe/probing.h"
#include "tests/support/cmocka.h"

static const struct moment {
    const char *when, *words;
    enum probe_stage stage;
} moments[] = {
    {"open", "while its library was opened", PROBE_STAGE_LOAD},
    {"init", "in cuInit", PROBE_STAGE_INIT},
    {"count", "as it was asked for its devices", PROBE_STAGE_COUNT},
    {"device", "as it was asked for its devices", PROBE_STAGE_COUNT},
};

static int tried;

static void check_end(const struct misbehaviour *misbehaviour, const struct probe_result *probe)
{
    if (misbehaviour->is_uncertain && IS_SANITIZED) {
        assert_true(probe->signal != 0 || probe->exit_status > 0);
        return;
    }
    assert_int_equal(probe->exit_status, misbehaviour->exit_status);
    assert_int_equal(probe->signal, misbehaviour->signal);
    CONTAINS(probe->reason, misbehaviour->reason);
}

static void check_case(const struct misbehaviour *misbehaviour, const struct moment *moment)
{
    const bool is_hung = misbehaviour->verdict == PROBE_HUNG;
    const bool is_usable = misbehaviour->verdict == PROBE_USABLE;
    struct probe_result probe;
    char path[1024];

    probing_set_action(misbehaviour->name, moment->when);
    probe = is_hung
                ? probing_probe_hung(moment->stage)
                : probing_probe(probing_driver("misbehaving", path, sizeof path), PROBING_LONG_NS);
    tried++;
    if (probe.verdict != misbehaviour->verdict)
        print_message("%s at %s: %s\n", misbehaviour->name, moment->when, probe.reason);
    assert_int_equal(probe.verdict, misbehaviour->verdict);
    if (misbehaviour->is_caught && moment->stage == PROBE_STAGE_LOAD) {
        assert_int_equal(probe.stage, PROBE_STAGE_DONE);
        assert_int_equal(probe.state, CUSHIM_STATE_NOT_LOADABLE);
        return;
    }
    assert_int_equal(probe.stage, is_usable ? PROBE_STAGE_DONE : moment->stage);
    check_end(misbehaviour, &probe);
    assert_int_equal(probe.unreaped_pid, 0);
    if (is_usable) {
        assert_int_equal(probe.device_count, 1);
        return;
    }
    CONTAINS(probe.reason, moment->words);
    /* The path as it was given, or as the system reports it. */
    CONTAINS(probe.library, "misbehaving" LIBRARY_SUFFIX);
    CONTAINS(probe.reason, "misbehaving" LIBRARY_SUFFIX);
    assert_int_equal(probe.driver_version, moment->stage == PROBE_STAGE_LOAD ? 0 : 13000);
    CONTAINS(probe.advice, "Do not use the driver in this process");
    assert_int_equal(probe.device_count, 0);
    assert_int_equal(probe.state, CUSHIM_STATE_UNTRIED);
}

static void check_all(const struct moment *moment)
{
    for (const struct misbehaviour *misbehaviour = misbehaviours; misbehaviour->name;
         misbehaviour++) {
        check_case(misbehaviour, moment);
        left_check(NULL);
    }
    probing_set_action(NULL, NULL);
}

TEST_BETWEEN(misbehaviour_in_a_constructor_is_reported_and_leaves_nothing, left_begin, left_check)
{
    check_all(&moments[0]);
}

TEST_BETWEEN(misbehaviour_in_init_is_reported_and_leaves_nothing, left_begin, left_check)
{
    check_all(&moments[1]);
}

TEST_BETWEEN(misbehaviour_while_devices_are_counted_is_reported_and_leaves_nothing, left_begin,
             left_check)
{
    check_all(&moments[2]);
}

int main(int count, char **words)
{
    const int refused = probing_begin(count, words);
    const int failed = refused ? refused : run_all_tests(NULL, NULL);

    probing_count("drivers that misbehave", tried);
    probing_count("their children ended with them", left_orphans);
    probing_count("lost or crashed", failed);
    return failed;
}
