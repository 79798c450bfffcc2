/* SPDX-License-Identifier: Apache-2.0 */
/* User objects: what programs give to graphs to be destroyed with them. */
#ifndef CUSHIM_MOCK_USER_OBJECT_H
#define CUSHIM_MOCK_USER_OBJECT_H

#include <stdbool.h>

/* References that a graph has, a list with one entry per object. NULL: none. */
struct mock_graph;
struct mock_held;

/* The same references for a copy of the graph. False: out of memory. */
bool cushim__mock_held_copy(const struct mock_held *held, struct mock_held **copy);

/* Give them back, or free the list alone. NULL is a no-op. */
void cushim__mock_held_release(struct mock_held *held);
void cushim__mock_held_free(struct mock_held *held);

/* The objects are gone already: at the end of the mock. */
void cushim__mock_held_forget(struct mock_graph *graph);

/* At the end of the mock: the destructors under way are waited for. Gives up the lock meanwhile. */
void cushim__mock_user_objects_clear(void);

#endif
