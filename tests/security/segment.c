/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "tests/security/segment.h"

#include <stdio.h>

#include <unistd.h>

#include "src/mock/memory/pages.h"
#include "tests/support/cmocka.h"
#include "tests/support/descriptor.h"
#include "tests/support/folder.h"

enum { PATIENCE_SECONDS = 120 };

/* The bytes at the end of shared pages, before the key. */
static const char magic[SEGMENT_MAGIC] = {'c', 'u', 's', 'h', 'i', 'm', 'e', 'm'};

const unsigned char segment_key[SEGMENT_KEY] = "0123456789abcdef";
unsigned segment_tried, segment_refused;

static int descriptors_before;

static void put(int file, const void *bytes, size_t size, off_t place)
{
    assert_int_equal(pwrite(file, bytes, size, place), size);
}

int segment_create(void)
{
    const int file = cushim__mock_shared_file_create();

    assert_true(file >= 0);
    return file;
}

static int write_tail(int file, off_t bytes)
{
    put(file, magic, SEGMENT_MAGIC, bytes);
    put(file, segment_key, SEGMENT_KEY, bytes + SEGMENT_MAGIC);
    return file;
}

int segment_write_pages(int file)
{
    return write_tail(file, SEGMENT_PAGE);
}

int segment_write_event(int file, uint64_t newest)
{
    put(file, &newest, sizeof newest, 0);
    return write_tail(file, SEGMENT_EVENT);
}

int segment_seal(int file)
{
    assert_true(cushim__mock_shared_file_seal(file));
    return file;
}

int segment_setup(void **state)
{
    descriptors_before = descriptor_count();
    return 0;
}

int segment_teardown(void **state)
{
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
