/* SPDX-License-Identifier: Apache-2.0 */
/*
 * winpthreads knows one clock for conditions, that of the day, and counts milliseconds. A clock that
 * is set while somebody waits makes one wait shorter or longer.
 */
#include "src/mock/engine/condition.h"

#include <time.h>

enum { SECOND_NS = 1000000000, SHORTEST_NS = 1000000 };

void cushim__condition_create(pthread_cond_t *condition)
{
    pthread_cond_init(condition, NULL);
}

void cushim__condition_wait(pthread_cond_t *condition, pthread_mutex_t *lock, uint64_t ns)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    ns = (ns > SHORTEST_NS ? ns : SHORTEST_NS) + (uint64_t)until.tv_nsec;
    until.tv_sec += (time_t)(ns / SECOND_NS);
    until.tv_nsec = (long)(ns % SECOND_NS);
    pthread_cond_timedwait(condition, lock, &until);
}
