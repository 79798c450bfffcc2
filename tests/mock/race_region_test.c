/* SPDX-License-Identifier: Apache-2.0 */
/* Regions of memory: what two have in common, against their bytes one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "src/mock/races/region.h"

enum { BYTES = 640, PAIRS = 100000 };

static uint64_t random_state = 0x9e3779b97f4a7c15u;

static unsigned draw(unsigned below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (unsigned)(random_state >> 33) % below;
}

/* Rows of a layer do not overlap, nor do layers; the gaps are of any size. */
static struct cushim__region draw_region(void)
{
    struct cushim__region region = {.start = draw(200), .width = 1 + draw(12), .rows = 1 + draw(4)};

    region.pitch = region.width + draw(3) * draw(8);
    region.layers = 1 + draw(3);
    region.layer = region.rows * region.pitch + draw(2) * draw(16);
    return region;
}

static void mark(const struct cushim__region *region, bool bytes[BYTES])
{
    memset(bytes, 0, BYTES * sizeof *bytes);
    for (size_t z = 0; z < region->layers; z++) {
        for (size_t y = 0; y < region->rows; y++) {
            for (size_t x = 0; x < region->width; x++)
                bytes[region->start + z * region->layer + y * region->pitch + x] = true;
        }
    }
}

static void regions_overlap_where_their_bytes_do(void **state)
{
    unsigned overlaps = 0;

    (void)state;
    for (unsigned i = 0; i < PAIRS; i++) {
        const struct cushim__region one = draw_region(), other = draw_region();
        bool of_one[BYTES], of_other[BYTES], expected = false;
        uint64_t first = 0, end = 0;

        mark(&one, of_one);
        mark(&other, of_other);
        for (unsigned at = 0; at < BYTES; at++)
            expected |= of_one[at] && of_other[at];
        assert_int_equal(cushim__region_overlap(&one, &other, &first, &end), expected);
        overlaps += expected;
        assert_true(!expected || first < end);
        for (uint64_t at = first; expected && at < end; at++)
            assert_true(of_one[at] && of_other[at]);
    }
    assert_true(overlaps > PAIRS / 10 && overlaps < PAIRS - PAIRS / 10);
}

static void region_covers_only_what_it_has(void **state)
{
    unsigned covered = 0;

    (void)state;
    for (unsigned i = 0; i < PAIRS; i++) {
        const struct cushim__region one = cushim__region_row(draw(150), 150 + draw(212));
        const struct cushim__region other = draw_region();
        bool of_one[BYTES], of_other[BYTES], expected = true;

        mark(&one, of_one);
        mark(&other, of_other);
        for (unsigned at = 0; at < BYTES; at++)
            expected &= of_one[at] || !of_other[at];
        assert_int_equal(cushim__region_covers(&one, &other), expected);
        assert_true(cushim__region_covers(&other, &other));
        covered += expected;
    }
    assert_true(covered > PAIRS / 20 && covered < PAIRS - PAIRS / 20);
}

static void rows_without_gaps_are_one_row(void **state)
{
    unsigned joined_count = 0;

    (void)state;
    for (unsigned i = 0; i < PAIRS; i++) {
        const struct cushim__region region = draw_region(), joined = cushim__region_joined(region);
        bool before[BYTES], after[BYTES];

        mark(&region, before);
        mark(&joined, after);
        assert_memory_equal(before, after, sizeof before);
        assert_int_equal(cushim__region_end(&region), cushim__region_end(&joined));
        joined_count += joined.rows == 1 && joined.layers == 1 && region.rows > 1;
    }
    assert_true(joined_count > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regions_overlap_where_their_bytes_do),
        cmocka_unit_test(region_covers_only_what_it_has),
        cmocka_unit_test(rows_without_gaps_are_one_row),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
