/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of the mock in the child of a fork: statement 9. */
#ifndef CUSHIM_MOCK_FORK_H
#define CUSHIM_MOCK_FORK_H

#include <pthread.h>

/* From now on forks are noticed. Repeats change nothing. */
void cushim__watch_forks(void);

/*
 * mock.c: the lock of a mock, which tells a thread that has it already (EDEADLK); and that of its
 * life.
 */
void cushim__lock_create(pthread_mutex_t *lock);
void cushim__life_in_child(void);

#endif
