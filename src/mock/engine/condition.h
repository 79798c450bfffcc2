/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions that can be waited for a while, by a clock that nobody sets. */
#ifndef CUSHIM_MOCK_CONDITION_H
#define CUSHIM_MOCK_CONDITION_H

#include <pthread.h>
#include <stdint.h>

void cushim__condition_create(pthread_cond_t *condition);

/* Wait until the condition is signalled or the time is over; or, as ever, for less. */
void cushim__condition_wait(pthread_cond_t *condition, pthread_mutex_t *lock, uint64_t ns);

#endif
