/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes that an operation accesses (rows, layers, arrays), and the memory that the detector
 * knows.
 */

#include "src/race/internal.h"
#include "tests/mock/race_fixture.h"
#include "tests/support/cmocka.h"

enum { PITCH = 64, ROWS = 4 };

#define ONE race_streams[0]
#define OTHER race_streams[1]

static void set(unsigned first, unsigned bytes, CUstream stream)
{
    OK(driver->MemsetD8Async(race_memory + first, 1, bytes, stream));
}

#define TEST(name) TEST_BETWEEN(name, race_auto, fixture_done)

TEST(bytes_side_by_side_are_no_race)
{
    set(0, 16, ONE);
    set(16, 16, OTHER);
    assert_int_equal(race_count(), 0);
    set(31, 2, ONE);
    assert_int_equal(race_count(), 1);
    CONTAINS(cushim_mock_race(fixture_mock, 0), "bytes 31 to 32 of memory#1:");
}

#ifndef _WIN32 /* there the mock has no virtual memory */
TEST(mapped_memory_races_by_its_addresses)
{
    const CUdeviceptr start = fixture_map(2, 1, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);

    OK(driver->MemsetD8Async(start + FIXTURE_PAGE, 1, 32, ONE));
    OK(driver->MemsetD8Async(start + FIXTURE_PAGE + 31, 1, 32, OTHER));
    assert_int_equal(race_count(), 1);
    CONTAINS(cushim_mock_race(fixture_mock, 0), "bytes 2097183 to 2097184 of memory#3:");
    OK(driver->CtxSynchronize());
    fixture_unmap(start, 2);
}
#endif

/* Set a box of rows, with x, y and size in bytes and rows. */
static void set_box(unsigned x, unsigned y, unsigned width, unsigned height, CUstream stream)
{
    OK(driver->MemsetD2D8Async(race_memory + y * PITCH + x, PITCH, 1, width, height, stream));
}

TEST(boxes_race_where_their_rows_meet)
{
    static const struct {
        unsigned x, y, width, height;
        bool race;
    } boxes[] = {
        {0, 0, 16, ROWS, false}, {32, 0, 32, ROWS, false}, {16, 4, 16, ROWS, false},
        {16, 0, 16, ROWS, true}, {31, 3, 1, 1, true},      {0, 3, 64, 1, true},
        {0, 4, 64, 2, false},    {15, 1, 1, 3, false},     {15, 1, 2, 3, true},
        {48, 0, 16, 1, false},
    };

    for (size_t i = 0; i < COUNT(boxes); i++) {
        const size_t before = race_count();
        CUstream one = fixture_stream(), other = fixture_stream();

        set_box(16, 0, 16, ROWS, one);
        set_box(boxes[i].x, boxes[i].y, boxes[i].width, boxes[i].height, other);
        assert_int_equal(race_count() - before, boxes[i].race);
        OK(driver->CtxSynchronize());
        OK(driver->StreamDestroy_v2(one));
        OK(driver->StreamDestroy_v2(other));
    }
}

TEST(text_reports_the_row_that_meets)
{
    set_box(16, 0, 16, ROWS, ONE);
    set(2 * PITCH + 20, 2, OTHER);
    CONTAINS(cushim_mock_race(fixture_mock, 0), "bytes 148 to 150 of memory#1:");
}

static void copy_box(CUdeviceptr memory, unsigned x, unsigned z, CUstream stream)
{
    const CUDA_MEMCPY3D copy = {
        FROM_HOST(race_host, 0), TO_DEVICE(memory, 16), .dstHeight = 4, .dstXInBytes = x, .dstZ = z,
        .WidthInBytes = 4,       .Height = 4,           .Depth = 2};

    OK(driver->Memcpy3DAsync_v2(&copy, stream));
}

TEST(layers_race_where_their_rows_meet)
{
    copy_box(race_memory, 0, 0, ONE);
    copy_box(race_memory, 4, 0, OTHER);
    copy_box(race_memory, 0, 2, OTHER);
    assert_int_equal(race_count(), 0);
    copy_box(race_memory, 3, 1, OTHER);
    assert_int_equal(race_count(), 1);
}

static void copy_to_array(CUarray array, unsigned x, CUstream stream)
{
    const CUDA_MEMCPY2D copy = {FROM_HOST(race_host, 0), TO_ARRAY(array), .dstXInBytes = x,
                                .WidthInBytes = 8, .Height = 4};

    OK(driver->Memcpy2DAsync_v2(&copy, stream));
}

TEST(arrays_are_memory_too)
{
    const CUDA_ARRAY_DESCRIPTOR descriptor = {
        .Width = 16, .Height = 4, .Format = CU_AD_FORMAT_UNSIGNED_INT8, .NumChannels = 1};
    CUarray array;

    OK(driver->ArrayCreate_v2(&array, &descriptor));
    copy_to_array(array, 0, ONE);
    copy_to_array(array, 8, OTHER);
    assert_int_equal(race_count(), 0);
    copy_to_array(array, 4, OTHER);
    assert_int_equal(race_count(), 1);
}

TEST(page_locked_memory_is_known)
{
    CUdeviceptr other;

    OK(driver->MemAlloc_v2(&other, RACE_BYTES));
    race_download(ONE);
    OK(driver->MemcpyHtoDAsync_v2(other, race_host, 16, OTHER));
    assert_int_equal(race_count(), 1);
    CONTAINS(cushim_mock_race(fixture_mock, 0), "cuMemcpyHtoDAsync_v2) reads and copy");
}

TEST(managed_memory_is_known)
{
    CUdeviceptr managed;

    OK(driver->MemAllocManaged(&managed, 64, CU_MEM_ATTACH_GLOBAL));
    race_launch(race_writes, managed, ONE);
    race_launch(race_reads, managed, OTHER);
    assert_int_equal(race_count(), 1);
}

TEST(pageable_memory_is_not_known)
{
    static char pageable[64];
    CUdeviceptr other;

    OK(driver->MemAlloc_v2(&other, 64));
    OK(driver->MemcpyHtoDAsync_v2(race_memory, pageable, 64, ONE));
    OK(driver->MemcpyHtoDAsync_v2(other, pageable, 64, OTHER));
    assert_int_equal(race_count(), 0);
}

TEST(both_sides_of_a_copy_count)
{
    CUdeviceptr other;

    OK(driver->MemAlloc_v2(&other, 64));
    OK(driver->MemcpyDtoDAsync_v2(other, race_memory, 64, ONE));
    race_launch(race_writes, race_memory, OTHER);
    assert_int_equal(race_count(), 1);
    race_launch(race_reads, other, OTHER);
    assert_int_equal(race_count(), 2);
}

TEST(two_that_read_are_no_race)
{
    race_read(ONE);
    race_download(OTHER);
    assert_int_equal(race_count(), 0);
}

/* Also in manual mode, which executes such a copy in the call and never queues it. */
TEST_ALONE(copy_that_is_waited_for_counts)
{
    int word;

    race_begin("mode = manual");
    race_write(ONE);
    OK(driver->MemcpyDtoH_v2(&word, race_memory, sizeof word));
    assert_int_equal(race_count(), 1);
    CONTAINS(cushim_mock_race(fixture_mock, 0), "default stream, cuMemcpyDtoH_v2) reads");
    fixture_end();
}

/*
 * What these copies wait for was not measured, so the mock assumes that they wait for everything.
 */
TEST(copies_between_contexts_are_ordered)
{
    CUdeviceptr other;

    OK(driver->MemAlloc_v2(&other, 64));
    race_write(ONE);
    OK(driver->MemcpyPeer(other, NULL, race_memory, NULL, 64));
    race_launch(race_writes, other, OTHER);
    assert_int_equal(race_count(), 0);
    OK(driver->MemcpyPeerAsync(other, NULL, race_memory, NULL, 64, ONE));
    assert_int_equal(race_count(), 1);
}

/* Regions of memory: the overlap of two regions, compared with a search byte by byte. */

enum { BYTES = 640, PAIRS = 100000 };

/* The rows of a layer do not overlap, and neither do layers; the gaps have any size. */
static struct race_region draw_region(void)
{
    struct race_region region = {
        .start = race_draw(200), .width = 1 + race_draw(12), .rows = 1 + race_draw(4)};

    region.pitch = region.width + race_draw(3) * race_draw(8);
    region.layers = 1 + race_draw(3);
    region.layer = region.rows * region.pitch + race_draw(2) * race_draw(16);
    return region;
}

static void mark(const struct race_region *region, bool bytes[BYTES])
{
    memset(bytes, 0, BYTES * sizeof *bytes);
    for (size_t z = 0; z < region->layers; z++) {
        for (size_t y = 0; y < region->rows; y++) {
            for (size_t x = 0; x < region->width; x++)
                bytes[region->start + z * region->layer + y * region->pitch + x] = true;
        }
    }
}

TEST_ALONE(regions_overlap_where_their_bytes_do)
{
    unsigned overlaps = 0;

    for (unsigned i = 0; i < PAIRS; i++) {
        const struct race_region one = draw_region(), other = draw_region();
        bool of_one[BYTES], of_other[BYTES], expected = false;
        uint64_t first = 0, end = 0;

        mark(&one, of_one);
        mark(&other, of_other);
        for (unsigned at = 0; at < BYTES; at++)
            expected |= of_one[at] && of_other[at];
        assert_int_equal(cushim__race_region_overlap(&one, &other, &first, &end), expected);
        overlaps += expected;
        assert_true(!expected || first < end);
        for (uint64_t at = first; expected && at < end; at++)
            assert_true(of_one[at] && of_other[at]);
    }
    assert_true(overlaps > PAIRS / 10 && overlaps < PAIRS - PAIRS / 10);
}

TEST_ALONE(region_covers_only_what_it_has)
{
    unsigned covered = 0;

    for (unsigned i = 0; i < PAIRS; i++) {
        const struct race_region one =
            cushim__race_region_row(race_draw(150), 150 + race_draw(212));
        const struct race_region other = draw_region();
        bool of_one[BYTES], of_other[BYTES], expected = true;

        mark(&one, of_one);
        mark(&other, of_other);
        for (unsigned at = 0; at < BYTES; at++)
            expected &= of_one[at] || !of_other[at];
        assert_int_equal(cushim__race_region_covers(&one, &other), expected);
        assert_true(cushim__race_region_covers(&other, &other));
        covered += expected;
    }
    assert_true(covered > PAIRS / 20 && covered < PAIRS - PAIRS / 20);
}

TEST_ALONE(rows_without_gaps_are_one_row)
{
    unsigned joined_count = 0;

    for (unsigned i = 0; i < PAIRS; i++) {
        const struct race_region region = draw_region(),
                                 joined = cushim__race_region_joined(region);
        bool before[BYTES], after[BYTES];

        mark(&region, before);
        mark(&joined, after);
        assert_memory_equal(before, after, sizeof before);
        assert_int_equal(cushim__race_region_end(&region), cushim__race_region_end(&joined));
        joined_count += joined.rows == 1 && joined.layers == 1 && region.rows > 1;
    }
    assert_true(joined_count > 0);
}
