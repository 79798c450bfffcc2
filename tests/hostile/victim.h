/* SPDX-License-Identifier: Apache-2.0 */
/* A sound file, and where in it the numbers stand that a linker believes. */
#ifndef CUSHIM_TESTS_HOSTILE_VICTIM_H
#define CUSHIM_TESTS_HOSTILE_VICTIM_H

#include <stddef.h>
#include <stdint.h>

enum { VICTIM_MOST_FIELDS = 4096, VICTIM_MOST_EDGES = 64 };

/* What a number is, if it is one of a list: such are set to all of the list. */
enum field_kind { FIELD_NUMBER, FIELD_SEGMENT_TYPE, FIELD_ENTRY_TAG };

struct field {
    size_t place; /* in the file */
    unsigned bytes;
    enum field_kind kind;
    const char *table, *member;
    unsigned index; /* in the table */
};

/* Things of one table that may change places. */
struct row_table {
    const char *name;
    size_t place, size, count;
};

struct victim {
    const char *path;
    unsigned char *bytes;
    size_t size;
    struct field fields[VICTIM_MOST_FIELDS];
    size_t field_count;
    struct row_table tables[2];
    uint64_t edges[VICTIM_MOST_EDGES]; /* addresses and places at which something begins or ends */
    size_t edge_count;
    size_t head; /* the first so many bytes hold the tables */
};

/* Read a library and find its fields: ends the program if that cannot be done. */
struct victim *victim_open(const char *path);
void victim_close(struct victim *victim);

#endif
