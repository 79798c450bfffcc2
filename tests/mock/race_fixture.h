/* SPDX-License-Identifier: Apache-2.0 */
/* A mock with the race detector: two streams, memory, and kernels with declared accesses. */
#ifndef CUSHIM_TESTS_MOCK_RACE_FIXTURE_H
#define CUSHIM_TESTS_MOCK_RACE_FIXTURE_H

#include <cushim/testing/mock.h>

#include "src/race/race.h"
#include "tests/mock/fixture.h"

enum { RACE_BYTES = 4096 };

extern CUstream race_streams[2];
extern CUdeviceptr race_memory; /* RACE_BYTES of device memory */
extern char *race_host;         /* as many bytes of page-locked memory */
extern CUfunction race_reads, race_writes, race_unknown;

/* Begin with `races = report` and these settings; fixture_end() is the end. */
void race_begin(const char *settings);

/* The setup of tests without further settings. */
int race_auto(void **state);

CUstream race_stream(bool blocking);

/* A random number, from a state that is not 0. */
extern uint64_t race_random_state;
unsigned race_draw(unsigned below);

/* The number of races found so far. */
size_t race_count(void);

/* The order of two operations according to the detector. */
enum race_order race_order(uint64_t first, uint64_t second);

/* Launch a kernel with a pointer argument. */
void race_launch(CUfunction function, CUdeviceptr memory, CUstream stream);

/* Copy the whole page-locked memory to the device, and back. */
void race_upload(CUstream stream);
void race_download(CUstream stream);

/*
 * Launch a kernel that writes to the same memory, or one that reads from it. Only the streams order
 * them.
 */
void race_write(CUstream stream);
void race_read(CUstream stream);

/* --- edges --- */

/*
 * Small programs, one for each relation that orders operations. Each can run with the relation, so
 * that two uses of the same memory are ordered, and without it. Each runs under every schedule.
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
 * Test programs, which end with a NULL name: a program has no race if it is ordered, and one race
 * if it is not. Returns the exit status for main().
 */
int race_edges_check(const struct race_edge *edges);

#endif
