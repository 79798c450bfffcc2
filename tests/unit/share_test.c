/* SPDX-License-Identifier: Apache-2.0 */
/* The report for others: what it has, and what it hides. */

#include <cushim/version.h>

#include "fake.h"
#include "forked.h"
#include "tests/fuzz/json_check.h"
#include "tests/support/environment.h"

typedef size_t writer(char *buffer, size_t size);

static writer *const writers[] = {cushim_report_share_text, cushim_report_share_json};
static struct fake_source source;
static char text[65536];

static const char *shared(writer *write)
{
    assert_true(write(text, sizeof text) < sizeof text);
    return text;
}

static void assert_has(const char *words)
{
    if (!strstr(text, words))
        fail_msg("no %s in: %s", words, text);
}

static void assert_lacks(const char *words)
{
    if (strstr(text, words))
        fail_msg("%s in: %s", words, text);
}

FORKED_TEST(text_has_the_versions_the_report_and_the_variables_of_cuda)
{
    environment_set("CUDA_VISIBLE_DEVICES", "1,0");
    environment_set("NVIDIA_API_KEY", "secret");
    environment_set("LD_PRELOAD", NULL);
    fake_load(&source);
    shared(cushim_report_share_text);
    assert_has("cushim      " CUSHIM_VERSION_TEXT "\n");
    assert_has("\nsystem      ");
    assert_has("\nstate       loaded\n");
    assert_has("\nCUDA_VISIBLE_DEVICES = 1,0\n");
    assert_lacks("secret");
    assert_lacks("LD_PRELOAD");
    assert_lacks(" \n");
}

FORKED_TEST(json_is_an_object_with_the_report_as_a_member)
{
    static char report[sizeof text];

    environment_set("CUDA_VISIBLE_DEVICES", "");
    fake_load_library(FAKE_ROOT "/nowhere/\"quoted\"\n\x80/libcuda.so.1");
    assert_true(json_is_valid(shared(cushim_report_share_json)));
    assert_has("{\n  \"system\": {\n    \"cushim\": \"" CUSHIM_VERSION_TEXT "\"");
    assert_has("\"CUDA_VISIBLE_DEVICES\": \"\"");
    assert_true(cushim_report_write_json(report, sizeof report) < sizeof report);
    assert_has(report);
}

FORKED_TEST(names_of_users_and_uuids_are_hidden_in_every_value)
{
    environment_set("USER", "alice");
    environment_set("LOGNAME", "al");
    environment_set("CUDA_HOME", "/home/bob/cuda");
    environment_set("CUDA_PATH", "/opt/alices/al");
    environment_set("CUDA_CACHE_PATH", "C:\\Users\\carol\\cache");
    environment_set("CUDA_VISIBLE_DEVICES",
                    "GPU-0b9d5ae5-1d3a-4e8b-9d9d-000000000001,MIG-0b9d5ae5-1d3a,GPU-0b9d");
    fake_load_library(FAKE_ROOT "/scratch/alice/libcuda.so.1");
    for (size_t i = 0; i < COUNT(writers); i++) {
        shared(writers[i]);
        assert_lacks("alice/");
        assert_lacks("bob");
        assert_lacks("carol");
        assert_lacks("5ae5");
        assert_has("/scratch/USER/libcuda.so.1");
        assert_has("/home/USER/cuda");
        assert_has("/opt/alices/USER");
        assert_has("GPU-UUID,MIG-UUID,GPU-0b9d");
    }
}

FORKED_TEST(report_that_is_not_for_others_hides_nothing)
{
    environment_set("USER", "alice");
    fake_load_library(FAKE_ROOT "/scratch/alice/libcuda.so.1");
    shared(cushim_report_write_text);
    assert_has("/scratch/alice/libcuda.so.1");
}

/* A Jetson's user may be called nvidia. */
FORKED_TEST(folders_of_the_system_are_no_names)
{
    environment_set("USER", "nvidia");
    environment_set("LD_LIBRARY_PATH", "/usr/lib/nvidia:/lib/nvidia:/data/nvidia");
    shared(cushim_report_share_text);
    assert_has("= /usr/lib/nvidia:/lib/nvidia:/data/USER\n");
}

FORKED_TEST(text_is_cut_to_the_buffer_and_counted_in_full)
{
    environment_set("USER", "alice");
    environment_set("CUDA_HOME", "/scratch/alice");
    for (size_t i = 0; i < COUNT(writers); i++) {
        const size_t length = writers[i](NULL, 0);
        char *buffer = malloc(length + 2);

        assert_true(buffer && strlen(shared(writers[i])) == length);
        for (size_t size = 1; size <= length + 1; size++) {
            buffer[size] = '#';
            assert_int_equal(writers[i](buffer, size), length);
            assert_int_equal(strlen(buffer), size - 1);
            assert_memory_equal(buffer, text, size - 1);
            assert_int_equal(buffer[size], '#');
        }
        free(buffer);
    }
}
