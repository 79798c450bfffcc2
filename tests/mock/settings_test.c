/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Settings: the effect of each key, and that text which is not understood is refused with its line.
 */

#include "loader/symbols.h"
#include "loader/versions.h"
#include "src/mock/config/keys.h"
#include "tests/support/cmocka.h"

static struct mock_settings settings;
static char message[400];

/* Read `text` over the defaults. */
static CUresult parse(const char *text)
{
    cushim__mock_settings_free(&settings);
    assert_int_equal(cushim__mock_settings_default(&settings), CUDA_SUCCESS);
    return cushim__mock_settings_parse(&settings, text, "text", message, sizeof message);
}

static void parse_well(const char *text)
{
    if (parse(text) != CUDA_SUCCESS)
        fail_msg("%s", message);
    assert_string_equal(message, "");
}

static int teardown(void **state)
{
    cushim__mock_settings_free(&settings);
    return 0;
}

TEST_ALONE(profile_and_costs_of_the_default_are_an_h200_s)
{
    parse_well("");
    assert_string_equal(settings.profile.name, "NVIDIA H200");
    assert_int_equal(settings.profile.attributes[75], 9);
    assert_int_equal(settings.profile.attributes[131], -1);
    assert_true(settings.profile.has_limit[0]);
    assert_false(settings.profile.has_limit[3]);
    assert_int_equal(settings.profile.greatest_priority, -5);
    assert_int_equal(settings.call_ns[CUSHIM__SLOT(EventQuery)], 153);
    assert_int_equal(settings.call_ns[CUSHIM__SLOT(EventRecord_ptsz)], 1700);
    assert_int_equal(settings.call_ns[CUSHIM__SLOT(MemAlloc_v2)], UINT32_MAX);
}

TEST_ALONE(every_key_does_what_it_says)
{
    parse_well("schema = 1\n"
               "devices = 3\n"
               "driver_version = 12.8\n"
               "memory = 64 MiB\n"
               "mode = manual\n"
               "schedule = random\n"
               "seed = 18446744073709551615\n"
               "driver_state = version-mismatch\n"
               "races = misuse\n"
               "adversarial = yes\n"
               "misuse = abort\n"
               "unregistered_kernels = skip\n"
               "kernel_limit = 1000000\n"
               "concurrent_kernels = 4\n"
               "leaks = report\n"
               "quiet = yes\n");
    assert_int_equal(settings.devices, 3);
    assert_int_equal(settings.driver_version, 12080);
    assert_int_equal(settings.memory_bytes, 64 << 20);
    assert_int_equal(settings.mode, MOCK_MODE_MANUAL);
    assert_int_equal(settings.schedule, MOCK_SCHEDULE_RANDOM);
    assert_true(settings.seed == UINT64_MAX);
    assert_int_equal(settings.driver_state, MOCK_DRIVER_VERSION_MISMATCH);
    assert_int_equal(settings.races, MOCK_RACES_MISUSE);
    assert_true(settings.adversarial);
    assert_true(settings.abort_on_misuse);
    assert_int_equal(settings.unregistered, MOCK_SKIP_KERNELS);
    assert_int_equal(settings.kernel_limit, 1000000);
    assert_int_equal(settings.concurrent_kernels, 4);
    assert_true(settings.report_leaks);
    assert_true(settings.quiet);
}

TEST_ALONE(rules_of_faults_are_the_one_key_that_comes_often)
{
    parse_well("fault = cuInit:nth=2 => return(NO_DEVICE)  # a comment\n"
               "devices = 2\n"
               "fault = op.* => hang\n");
    assert_int_equal(settings.fault_count, 2);
    assert_string_equal(settings.faults, "cuInit:nth=2 => return(NO_DEVICE)\nop.* => hang\n");
}

TEST_ALONE(costs_are_durations_and_bandwidths)
{
    parse_well("cost.call = 1 ns\n"
               "cost.record = 2 us\n"
               "cost.launch = 3ms\n"
               "cost.operation = 4 s\n"
               "cost.host_to_device = 10\n"
               "cost.device_to_host = 11\n"
               "cost.device = 12\n"
               "cost.peer = 13\n"
               "cost.set = 14\n"
               "cost.cuEventQuery = 0\n"
               "cost.cuMemAlloc_v2 = 5 us\n"
               "cost.cuMemFree = 7 us\n");
    assert_int_equal(settings.costs.call_ns, 1);
    assert_int_equal(settings.costs.record_ns, 2000);
    assert_int_equal(settings.costs.launch_ns, 3000000);
    assert_true(settings.costs.operation_ns == UINT64_C(4000000000));
    assert_int_equal(settings.costs.host_to_device_bytes_per_us, 10);
    assert_int_equal(settings.costs.device_to_host_bytes_per_us, 11);
    assert_int_equal(settings.costs.device_bytes_per_us, 12);
    assert_int_equal(settings.costs.peer_bytes_per_us, 13);
    assert_int_equal(settings.costs.set_bytes_per_us, 14);
    assert_int_equal(settings.call_ns[CUSHIM__SLOT(EventQuery)], 0);
    assert_int_equal(settings.call_ns[CUSHIM__SLOT(MemAlloc_v2)], 5000);
    assert_int_equal(settings.call_ns[CUSHIM__SLOT(MemFree_v2)], 7000);
    /* The function for the per-thread stream has its own cost. */
    assert_int_equal(settings.call_ns[CUSHIM__SLOT(EventRecord)], 1700);
}

TEST_ALONE(single_values_of_the_profile_are_changed_by_name_or_number)
{
    parse_well("attribute.MULTIPROCESSOR_COUNT = 7\n"
               "attribute.131 = -2147483647\n"
               "attribute.191 = 5\n"
               "limit.STACK_SIZE = 2KiB\n"
               "limit.3 = 2\n");
    assert_int_equal(settings.profile.attributes[16], 7);
    assert_int_equal(settings.profile.attributes[131], -2147483647);
    assert_int_equal(settings.profile.attributes[191], 5);
    assert_true(settings.profile.has_attribute[191]);
    assert_int_equal(settings.profile.limits[0], 2048);
    assert_true(settings.profile.has_limit[3]);
}

TEST_ALONE(blanks_comments_and_line_ends_do_not_matter)
{
    static const char *const texts[] = {
        "devices=3",
        "\n\n\t devices \t=\t 3 \t\n\n",
        "# devices = 4\ndevices = 3 # not 5\n  # devices = 6\n",
        "devices = 3\t#",
        "schema = 1\r\ndevices = 3\r\n",
    };

    for (size_t i = 0; i < COUNT(texts); i++) {
        parse_well(texts[i]);
        assert_int_equal(settings.devices, 3);
    }
}

TEST_ALONE(driver_version_is_at_most_the_newest_of_the_registry)
{
    char text[40];

    parse_well("driver_version = " CUSHIM__NEWEST_VERSION_TEXT);
    assert_int_equal(settings.driver_version, CUSHIM__NEWEST_VERSION);
    snprintf(text, sizeof text, "driver_version = %d", CUSHIM__NEWEST_VERSION + 10);
    assert_int_equal(cushim__mock_settings_parse(&settings, text, "text", message, sizeof message),
                     CUDA_ERROR_INVALID_VALUE);
}

#define NO_VERSION(value)                                                                      \
    "text:1:18: driver_version is a version of CUDA from 10.0 to " CUSHIM__NEWEST_VERSION_TEXT \
    ", as 12.8 or 12080, not \"" value "\""

/* What is refused, and the message: the line, what was expected, and a suggestion. */
static const struct {
    const char *text, *message;
} refusals[] = {
    {"mode = fast", "text:1:8: mode is manual, auto or threaded, not \"fast\""},
    {"\n\n  mode=Auto", "text:3:8: mode is manual, auto or threaded, not \"Auto\""},
    {"mode", "text:1:5: a line is `key = value`"},
    {"mode auto", "text:1:6: a line is `key = value`"},
    {"= 3", "text:1:1: a line is `key = value`"},
    {"[mock]", "text:1:1: a line is `key = value`"},
    {"mode =", "text:1:7: mode lacks its value"},
    {"mode = # auto", "text:1:8: mode lacks its value"},
    {"mode = au\001to", "text:1:10: a control character, of code 1"},
    {"schema = 2", "text:1:10: schema is 1 in this version, not \"2\""},
    {"mode = auto\nschema = 1", "text:2:1: schema must be the first key"},
    {"schema = 1\nschema = 1", "text:2:1: schema must be the first key"},
    {"device = 3", "text:1:1: there is no key \"device\"; did you mean \"devices\"?"},
    {"MODE = auto", "text:1:1: there is no key \"MODE\"; did you mean \"mode\"?"},
    {"frobnicate = 1", "text:1:1: there is no key \"frobnicate\""},
    {"cost.cuEventQuerry = 1",
     "text:1:1: there is no key \"cost.cuEventQuerry\"; did you mean \"cost.cuEventQuery\"?"},
    {"cost.lunch = 1", "text:1:1: there is no key \"cost.lunch\"; did you mean \"cost.launch\"?"},
    {"cost.cuLaunch_ = 1",
     "text:1:1: there is no key \"cost.cuLaunch_\"; did you mean \"cost.cuLaunch\"?"},
    {"cost.frobnicate = 1", "text:1:1: there is no key \"cost.frobnicate\"; after \"cost.\" comes "
                            "an operation, or the name of a function"},
    {"attribute.WARPSIZE = 1", "text:1:1: there is no key \"attribute.WARPSIZE\"; did you mean "
                               "\"attribute.WARP_SIZE\"?"},
    {"attribute.0 = 1", "text:1:1: there is no key \"attribute.0\"; after \"attribute.\" comes the "
                        "name of a device attribute without CU_DEVICE_ATTRIBUTE_, or its number"},
    {"attribute.192 = 1",
     "text:1:1: there is no key \"attribute.192\"; after \"attribute.\" comes the name of a "
     "device attribute without CU_DEVICE_ATTRIBUTE_, or its number"},
    {"limit.16 = 1", "text:1:1: there is no key \"limit.16\"; after \"limit.\" comes the name of a "
                     "limit without CU_LIMIT_, or its number"},
    {"attribute.1 = many", "text:1:15: attribute.1 is a whole number, not \"many\""},
    {"attribute.1 = 2147483648", "text:1:15: attribute.1 is a whole number, not \"2147483648\""},
    {"limit.0 = -1", "text:1:11: limit.0 is a size of 0 or more, not \"-1\""},
    {"devices = 17", "text:1:11: devices is a whole number from 0 to 16, not \"17\""},
    {"devices = -1", "text:1:11: devices is a whole number from 0 to 16, not \"-1\""},
    {"devices = 1 2", "text:1:11: devices is a whole number from 0 to 16, not \"1 2\""},
    {"devices = 4294967297",
     "text:1:11: devices is a whole number from 0 to 16, not \"4294967297\""},
    {"seed = 18446744073709551616",
     "text:1:8: seed is a whole number below 2^64, not \"18446744073709551616\""},
    {"concurrent_kernels = 0",
     "text:1:22: concurrent_kernels is a whole number from 1 to 1024, not \"0\""},
    {"races = yes", "text:1:9: races is ignore, report, misuse or kernels, not \"yes\""},
    {"quiet = true", "text:1:9: quiet is yes or no, not \"true\""},
    {"memory = 2 GB", "text:1:10: memory is a size from 1 MiB to 1 TiB, as 2 GiB or 2147483648, or "
                      "profile, not \"2 GB\""},
    {"memory = 1023 KiB",
     "text:1:10: memory is a size from 1 MiB to 1 TiB, as 2 GiB or 2147483648, "
     "or profile, not \"1023 KiB\""},
    {"memory = 18014398509484032 KiB",
     "text:1:10: memory is a size from 1 MiB to 1 TiB, as 2 GiB or 2147483648, or profile, not "
     "\"18014398509484032 KiB\""},
    {"driver_version = 9.2", NO_VERSION("9.2")},
    {"driver_version = 99.0", NO_VERSION("99.0")},
    {"driver_version = 12.10", NO_VERSION("12.10")},
    {"driver_version = 12085", NO_VERSION("12085")},
    {"driver_version = 9", NO_VERSION("9")},
    {"cost.call = 5", "text:1:13: cost.call is a duration from 0 to 1000 s, as 200 ns or 5 us, not "
                      "\"5\"; did you mean \"5 s\", \"5 ms\" or \"5 ns\"?"},
    {"cost.cuInit = 5", "text:1:15: cost.cuInit is a duration below 4.29 s, as 200 ns or 5 us, not "
                        "\"5\"; did you mean \"5 s\", \"5 ms\" or \"5 ns\"?"},
    {"cost.call = 1.5 us",
     "text:1:13: cost.call is a duration from 0 to 1000 s, as 200 ns or 5 us, not \"1.5 us\""},
    {"cost.cuInit = 5 s", "text:1:15: cost.cuInit is a duration below 4.29 s, as 200 ns or 5 "
                          "us, not \"5 s\""},
    {"cost.set = 0",
     "text:1:12: cost.set is a whole number of MB/s from 1 to 1000000000, not \"0\""},
    {"profile = h300",
     "text:1:11: profile is h200, h100, t4, a100, rtx4090, or the path of a profile (with a slash "
     "or a dot in it), not \"h300\""},
    {"profile = /nowhere/x.profile", "/nowhere/x.profile: No such file or directory"},
    {"mode = xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxyyy",
     "text:1:8: mode is manual, auto or threaded, not "
     "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\""},
};

TEST_ALONE(what_is_not_understood_is_refused_where_it_stands)
{
    for (size_t i = 0; i < COUNT(refusals); i++) {
        const CUresult code = parse(refusals[i].text);

        assert_string_equal(message, refusals[i].message);
        assert_int_equal(code, strstr(refusals[i].text, "/nowhere") ? CUDA_ERROR_FILE_NOT_FOUND
                                                                    : CUDA_ERROR_INVALID_VALUE);
    }
}

TEST_ALONE(a_message_is_cut_to_its_room_or_not_wanted)
{
    char small[12];

    parse_well("");
    assert_int_equal(
        cushim__mock_settings_parse(&settings, "mode = x", "text", small, sizeof small),
        CUDA_ERROR_INVALID_VALUE);
    assert_string_equal(small, "text:1:8: m");
    assert_int_equal(cushim__mock_settings_parse(&settings, "mode = x", "text", NULL, 0),
                     CUDA_ERROR_INVALID_VALUE);
}

TEST_ALONE(later_settings_go_over_earlier_ones)
{
    parse_well("devices = 2\nmemory = 4M\ncost.call = 1 ns\ndriver_version = 12");
    assert_int_equal(
        cushim__mock_settings_parse(&settings, "devices = 5", "more", message, sizeof message),
        CUDA_SUCCESS);
    assert_int_equal(settings.devices, 5);
    assert_int_equal(settings.memory_bytes, 4 << 20);
    assert_int_equal(settings.driver_version, 12000);
    assert_int_equal(settings.costs.call_ns, 1);
    parse_well("devices = 2\ncost.cuInit = 3ns\ndevices = 1\ncost.cuInit = 4ns");
    assert_int_equal(settings.devices, 1);
    assert_int_equal(settings.call_ns[CUSHIM__SLOT(Init)], 4);
}

TEST_ALONE(settings_are_described_in_one_line)
{
    char expected[200], text[200];

    snprintf(expected, sizeof expected,
             "2 devices \"NVIDIA H200\", CUDA 12.2, 2048 MiB, mode manual, schedule fifo, seed 7, "
             "driver_state normal%s",
             CUSHIM_KERNELS ? "" : ", no execution of kernels");
    parse_well("devices = 2\nmode = manual\nseed = 7\ndriver_version = 12.2");
    cushim__mock_settings_describe(&settings, text, sizeof text);
    assert_string_equal(text, expected);
}

TEST_ALONE(execution_is_for_builds_that_have_it)
{
    if (CUSHIM_KERNELS) {
        parse_well("unregistered_kernels = execute");
        assert_int_equal(settings.unregistered, MOCK_EXECUTE_KERNELS);
        return;
    }
    assert_int_equal(parse("unregistered_kernels = execute"), CUDA_ERROR_INVALID_VALUE);
    assert_string_equal(message,
                        "text:1:24: unregistered_kernels cannot be execute: this cushim was built "
                        "without the execution of kernels; build it with -Dkernels=enabled");
}

/* docs/mock.md lists every key of settings and of profiles, with the right defaults. */

enum { LONGEST_LINE = 1024 };

/* A row of a table on the page: the words in backquotes in its cells, or empty texts. */
struct row {
    char key[64], default_value[64];
};

static FILE *page;

/* Go to the next row of the current section; false: there are no more. */
static bool next_row(struct row *row)
{
    char line[LONGEST_LINE];

    while (fgets(line, sizeof line, page) && strncmp(line, "## ", 3) != 0) {
        assert_non_null(strchr(line, '\n'));
        row->default_value[0] = '\0';
        if (sscanf(line, "| `%63[^`]` |%*[^|]| `%63[^`]`", row->key, row->default_value) >= 1)
            return true;
    }
    return false;
}

/* Go to the beginning of a section. */
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

static void check_row(const char *key)
{
    struct row row;

    assert_true(next_row(&row));
    assert_string_equal(row.key, key);
}

/* Assert that the rows of a section are the keys of one kind of text, in their order. */
static void check_keys(const char *heading, enum mock_text_kind kind)
{
    struct row row;

    open_section(heading);
    check_row("schema");
    for (const struct mock_key *key = cushim__mock_keys; key->name; key++) {
        if (key->kinds & kind)
            check_row(key->name);
    }
    for (const struct mock_key_group *group = cushim__mock_key_groups; group->name; group++) {
        if (group->kinds & kind)
            check_row(group->name);
    }
    assert_false(next_row(&row));
    fclose(page);
}

TEST_ALONE(the_page_lists_every_key_of_settings)
{
    check_keys("## Settings\n", MOCK_OF_SETTINGS);
}

TEST_ALONE(the_page_lists_every_key_of_profiles)
{
    check_keys("## Profiles\n", MOCK_OF_PROFILE);
}

/* Compares all members but the pointer to the costs of calls. */
static void assert_same(const struct mock_settings *one, const struct mock_settings *other)
{
    assert_int_equal(one->devices, other->devices);
    assert_int_equal(one->driver_version, other->driver_version);
    assert_int_equal(one->memory_bytes, other->memory_bytes);
    assert_int_equal(one->mode, other->mode);
    assert_int_equal(one->schedule, other->schedule);
    assert_int_equal(one->seed, other->seed);
    assert_int_equal(one->driver_state, other->driver_state);
    assert_int_equal(one->races, other->races);
    assert_int_equal(one->adversarial, other->adversarial);
    assert_int_equal(one->abort_on_misuse, other->abort_on_misuse);
    assert_int_equal(one->unregistered, other->unregistered);
    assert_int_equal(one->kernel_limit, other->kernel_limit);
    assert_int_equal(one->concurrent_kernels, other->concurrent_kernels);
    assert_int_equal(one->report_leaks, other->report_leaks);
    assert_int_equal(one->quiet, other->quiet);
    assert_memory_equal(&one->costs, &other->costs, sizeof one->costs);
    assert_string_equal(one->profile.name, other->profile.name);
}

/* The default on the page, which is for a build that executes kernels. */
static const char *default_of(const struct row *row)
{
    return !CUSHIM_KERNELS && strcmp(row->key, "unregistered_kernels") == 0 ? "refuse"
                                                                            : row->default_value;
}

TEST_ALONE(the_defaults_of_the_page_change_nothing)
{
    struct mock_settings expected, parsed;
    char text[160];
    struct row row;
    size_t count = 0;

    assert_int_equal(cushim__mock_settings_default(&expected), CUDA_SUCCESS);
    open_section("## Settings\n");
    while (next_row(&row)) {
        /* Only a key for many names, or one that may be repeated, has no default. */
        assert_int_equal(row.default_value[0] == '\0',
                         strstr(row.key, "NAME") != NULL || strcmp(row.key, "fault") == 0);
        if (!row.default_value[0])
            continue;
        assert_int_equal(cushim__mock_settings_default(&parsed), CUDA_SUCCESS);
        snprintf(text, sizeof text, "%s = %s", row.key, default_of(&row));
        if (cushim__mock_settings_parse(&parsed, text, "page", message, sizeof message))
            fail_msg("%s", message);
        assert_same(&parsed, &expected);
        cushim__mock_settings_free(&parsed);
        count++;
    }
    fclose(page);
    cushim__mock_settings_free(&expected);
    assert_true(count > 20);
}

int main(void)
{
    return run_all_tests(NULL, teardown);
}
