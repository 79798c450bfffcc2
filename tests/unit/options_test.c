/* SPDX-License-Identifier: Apache-2.0 */
/* Options: structs that begin with their size, from callers older and newer than this library. */
#include "fake.h"
#include "forked.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct fake_source source;

static enum cushim_state state_now(void)
{
    struct cushim_report report = {.size = sizeof report};
    assert_int_equal(cushim_report_get(&report), CUDA_SUCCESS);
    return report.state;
}

static void options_that_cannot_be_understood_are_refused(void **state)
{
    struct {
        struct cushim_load_options options;
        unsigned char tail[16];
    } newer = {.tail = {[15] = 1}};
    static const size_t no_sizes[] = {
        0, 1, sizeof(size_t) - 1, sizeof(size_t) + 1, SIZE_MAX, SIZE_MAX / 16 * 8};

    (void)state;
    for (size_t i = 0; i < COUNT(no_sizes); i++) {
        newer.options.size = no_sizes[i];
        assert_int_equal(cushim_load(&newer.options), CUDA_ERROR_INVALID_VALUE);
        assert_int_equal(cushim_init(&newer.options), CUDA_ERROR_INVALID_VALUE);
    }
    newer.options.size = sizeof newer;
    newer.options.resolver = fake_resolve;
    newer.options.resolver_data = &source;
    assert_int_equal(cushim_load(&newer.options), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(source.lookups, 0);
    assert_int_equal(state_now(), CUSHIM_STATE_UNTRIED);
}

static void options_of_a_newer_caller_with_a_zero_tail_are_understood(void **state)
{
    struct {
        struct cushim_load_options options;
        unsigned char tail[16];
    } newer = {{sizeof newer, NULL, 0, fake_resolve, &source}, {0}};

    (void)state;
    assert_int_equal(cushim_load(&newer.options), CUDA_SUCCESS);
    assert_int_equal(fake_query(), FAKE_ANSWER);
}

static void options_of_an_older_caller_are_read_no_further_than_their_size(void **state)
{
    /* The caller knows `library` only; what stands behind it is not an option. */
    struct cushim_load_options older = {
        .size = offsetof(struct cushim_load_options, minimum_version),
        .library = FAKE_LIBRARY,
        .minimum_version = FAKE_LIBRARY_VERSION + 10,
        .resolver = fake_resolve,
    };

    (void)state;
    assert_int_equal(cushim_load(&older), CUDA_SUCCESS);
    older.size = sizeof older.size;
    older.library = FAKE_ROOT "/nonexistent/libcuda.so.1";
    assert_int_equal(cushim_load(&older), CUDA_SUCCESS);
    assert_int_equal(fake_query(), FAKE_LIBRARY_ANSWER);
}

static void library_and_resolver_together_are_refused(void **state)
{
    const struct cushim_load_options both = {
        .size = sizeof both,
        .library = FAKE_LIBRARY,
        .resolver = fake_resolve,
        .resolver_data = &source,
    };

    (void)state;
    assert_int_equal(cushim_load(&both), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(source.lookups, 0);
    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
    assert_int_equal(cushim_load(&both), CUDA_ERROR_INVALID_VALUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        forked_test(options_that_cannot_be_understood_are_refused),
        forked_test(options_of_a_newer_caller_with_a_zero_tail_are_understood),
        forked_test(options_of_an_older_caller_are_read_no_further_than_their_size),
        forked_test(library_and_resolver_together_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
