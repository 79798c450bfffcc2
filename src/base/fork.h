/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handlers around fork(). The layer and the mock hold their locks across one, so that the child
 * finds them free; they are taken in the order of this list, whichever part was there first.
 */
#ifndef CUSHIM_SRC_BASE_FORK_H
#define CUSHIM_SRC_BASE_FORK_H

enum cushim__fork_part { CUSHIM__FORK_LAYER, CUSHIM__FORK_MOCK, CUSHIM__FORK_PARTS };

struct cushim__fork_handlers {
    void (*prepare)(void); /* before the fork */
    void (*parent)(void);  /* after it, in the parent, in reverse order */
    void (*child)(void);   /* and in the child */
};

/* From now on these are called. Repeats change nothing, and Windows has no forks. */
void cushim__set_fork_handlers(enum cushim__fork_part part,
                               const struct cushim__fork_handlers *handlers);

#endif
