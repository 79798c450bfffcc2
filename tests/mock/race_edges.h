/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What orders operations, as programs: each is written twice, with what orders two uses of the same
 * memory and without it, and runs in every schedule.
 */
#ifndef CUSHIM_TESTS_MOCK_RACE_EDGES_H
#define CUSHIM_TESTS_MOCK_RACE_EDGES_H

#include "tests/mock/race_world.h"

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
