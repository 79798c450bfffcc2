/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "tests/security/segment.h"

#include <stdio.h>

#include <unistd.h>

#include "src/mock/memory/shared_file_linux.h"
#include "tests/support/cmocka.h"
#include "tests/support/descriptor.h"
#include "tests/support/folder.h"

enum { PATIENCE_SECONDS = 120, NUMBER = sizeof(uint64_t), NUMBERS = 448 };

/* What stands at the end of shared pages, and at the start of a shared event. */
static const char tail_magic[SEGMENT_MAGIC] = {'c', 'u', 's', 'h', 'i', 'm', 'e', 'm'};
static const char head_magic[SEGMENT_MAGIC] = {'c', 'u', 's', 'h', 'i', 'm', 'e', 'v'};

const unsigned char segment_key[SEGMENT_KEY] = "0123456789abcdef";
unsigned segment_tried, segment_refused;

static int descriptors_before;

static void put(int file, const void *bytes, size_t size, off_t place)
{
    assert_int_equal(pwrite(file, bytes, size, place), size);
}

int segment_create(void)
{
    const int file = cushim__mock_shared_file_create("cushim-test");

    assert_true(file >= 0);
    return file;
}

int segment_write_pages(int file)
{
    put(file, tail_magic, SEGMENT_MAGIC, SEGMENT_PAGE);
    put(file, segment_key, SEGMENT_KEY, SEGMENT_PAGE + SEGMENT_MAGIC);
    return file;
}

int segment_write_event(int file, uint64_t newest)
{
    assert_int_equal(ftruncate(file, SEGMENT_MAGIC + SEGMENT_KEY + NUMBER + NUMBERS * NUMBER), 0);
    put(file, head_magic, SEGMENT_MAGIC, 0);
    put(file, segment_key, SEGMENT_KEY, SEGMENT_MAGIC);
    put(file, &newest, NUMBER, SEGMENT_MAGIC + SEGMENT_KEY);
    return file;
}

int segment_seal(int file)
{
    assert_true(cushim__mock_shared_file_seal(file));
    return file;
}

int segment_setup(void **state)
{
    (void)state;
    descriptors_before = descriptor_count();
    return 0;
}

int segment_teardown(void **state)
{
    (void)state;
    assert_int_equal(descriptor_count(), descriptors_before);
    return 0;
}

int segment_begin(void **state)
{
    alarm(PATIENCE_SECONDS);
    return folder_create(state);
}

int segment_report(void **state)
{
    alarm(0);
    fprintf(stderr, "segments and handles: %u tried, %u refused, 0 crashed\n", segment_tried,
            segment_refused);
    return folder_remove(state);
}
