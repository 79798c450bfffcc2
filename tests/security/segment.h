/* SPDX-License-Identifier: Apache-2.0 */
/* Segments that processes share, made as the mock makes them, or nearly so. */
#ifndef CUSHIM_TESTS_SECURITY_SEGMENT_H
#define CUSHIM_TESTS_SECURITY_SEGMENT_H

#include <stdint.h>

/* Bytes of the pages in one, of an event, of the word that stands before its key, and of the key. */
enum { SEGMENT_PAGE = 4096, SEGMENT_EVENT = 8192, SEGMENT_MAGIC = 8, SEGMENT_KEY = 16 };

extern const unsigned char segment_key[SEGMENT_KEY];

/* How many were opened by their addresses, and how many of these were refused. */
extern unsigned segment_tried, segment_refused;

/* One that is empty. The test fails if the system refuses. */
int segment_create(void);

/* Let it be one of pages, or of an event whose newest record is of this number. Return the file. */
int segment_write_pages(int file);
int segment_write_event(int file, uint64_t newest);

/* Let it keep its size. Returns the file. */
int segment_seal(int file);

/* Setup and teardown of a test: no descriptor is left. */
int segment_setup(void **state);
int segment_teardown(void **state);

#define SEGMENT_TEST(name) cmocka_unit_test_setup_teardown(name, segment_setup, segment_teardown)

/* Those of the group, which has a folder, and a time in which it ends; the counts are printed. */
int segment_begin(void **state);
int segment_report(void **state);

#endif
