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
 * Of edges that end with a NULL name: with what orders there is no race, without it there is one.
 */
void race_check_ordered(const struct race_edge *edges);
void race_check_unordered(const struct race_edge *edges);

#endif
