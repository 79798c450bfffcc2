/* SPDX-License-Identifier: Apache-2.0 */
/* Segments that processes share, created like the mock's, with or without a defect. */
#ifndef CUSHIM_TESTS_SECURITY_SEGMENT_H
#define CUSHIM_TESTS_SECURITY_SEGMENT_H

#include <stdint.h>

/* Sizes in bytes: pages, an event, the magic bytes before the key, and the key. */
enum { SEGMENT_PAGE = 4096, SEGMENT_EVENT = 8192, SEGMENT_MAGIC = 8, SEGMENT_KEY = 16 };

extern const unsigned char segment_key[SEGMENT_KEY];

/* How many segments were opened by their addresses, and how many of them were refused. */
extern unsigned segment_tried, segment_refused;

/* Create an empty segment. The test fails if the system refuses. */
int segment_create(void);

/*
 * Write the contents of shared pages, or of an event with this number as its newest record. Return
 * the file.
 */
int segment_write_pages(int file);
int segment_write_event(int file, uint64_t newest);

/* Seal the size of the file, and return the file. */
int segment_seal(int file);

/* Setup and teardown of a test; no descriptor may be left open. */
int segment_setup(void **state);
int segment_teardown(void **state);

#define SEGMENT_TEST(name) TEST_BETWEEN(name, segment_setup, segment_teardown)

/* Setup and teardown of the group: a folder, and a timeout. The counts are printed. */
int segment_begin(void **state);
int segment_report(void **state);

#endif
