/* SPDX-License-Identifier: Apache-2.0 */
/* User objects: what programs give to graphs to be destroyed with them. */
#ifndef CUSHIM_MOCK_USER_OBJECT_H
#define CUSHIM_MOCK_USER_OBJECT_H

#include <stdbool.h>

/* References that a graph has, a list with one entry per object. NULL: none. */
struct cushim__graph;
struct cushim__held;

/* The same references for a copy of the graph. False: out of memory. */
bool cushim__held_copy(const struct cushim__held *held, struct cushim__held **copy);

/* Give them back, or free the list alone. NULL is a no-op. */
void cushim__held_release(struct cushim__held *held);
void cushim__held_free(struct cushim__held *held);

/* The objects are gone already: at the end of the mock. */
void cushim__held_forget(struct cushim__graph *graph);

/* At the end of the mock: the destructors under way are waited for. Gives up the lock meanwhile. */
void cushim__user_objects_clear(void);

#endif
