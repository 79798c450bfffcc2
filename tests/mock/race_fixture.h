/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A mock that looks for races: two streams, memory, and kernels of which it is said what they do.
 */
#ifndef CUSHIM_TESTS_MOCK_RACE_FIXTURE_H
#define CUSHIM_TESTS_MOCK_RACE_FIXTURE_H

#include <stdbool.h>

#include <cushim/testing/mock.h>

#include "src/race/race.h"
#include "tests/mock/fixture.h"

enum { RACE_BYTES = 4096 };

extern CUstream race_streams[2];
extern CUdeviceptr race_memory; /* RACE_BYTES of a device */
extern char *race_host;         /* page-locked, as many */
extern CUfunction race_reads, race_writes, race_unknown;

/* With `races = report` besides these settings; and an end after which nothing is left. */
void race_begin(const char *settings);
void race_end(void);

/* The setup of tests that want no more, and the teardown. */
int race_auto(void **state);
int race_done(void **state);

CUstream race_stream(bool blocking);

/* A number at random, from a state that is not 0. */
extern uint64_t race_random_state;
unsigned race_draw(unsigned below);

/* How many races were found so far. */
size_t race_count(void);

/* What the detector takes to be the order of two operations. */
enum race_order race_order(uint64_t first, uint64_t second);

/* Launch a kernel with a pointer. */
void race_launch(CUfunction function, CUdeviceptr memory, CUstream stream);

/* Copy all of the page-locked memory to the device, and back. */
void race_upload(CUstream stream);
void race_download(CUstream stream);

/* Operations on one memory of which nothing is the order: a kernel that writes, one that reads. */
void race_write(CUstream stream);
void race_read(CUstream stream);

/* --- edges --- */

/*
 * What orders operations, as programs: each is written twice, with what orders two uses of the same
 * memory and without it, and runs in every schedule.
 */
struct race_edge {
    const char *name;
    void (*run)(bool ordered);
};

#define RACE_EDGE(name) \
    {                   \
#name, name     \
    }

/*
 * The tests of a program, of edges that end with a NULL name: with what orders there is no race,
 * without it there is one. Returns what main() does.
 */
int race_edges_check(const struct race_edge *edges);

#endif
