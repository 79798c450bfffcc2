/* SPDX-License-Identifier: Apache-2.0 */
/* A call of one slot where nothing of another is left. */
#ifndef CUSHIM_TESTS_MOCK_SLOT_CHILD_H
#define CUSHIM_TESTS_MOCK_SLOT_CHILD_H

#include <stddef.h>

typedef int (*slot_call)(size_t slot, const char *state);

/* What slot_child() answers besides what the call does: it came to no end of its own. */
enum { SLOT_ENDED = 100 };

/*
 * Do the call: POSIX in a child of its own, Windows in this process, with a mock of its own. There
 * a crash ends the program.
 */
int slot_child(slot_call call, size_t slot, const char *state);

#endif
