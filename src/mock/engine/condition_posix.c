/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "src/mock/engine/condition.h"

#include <time.h>

enum { SECOND_NS = 1000000000 };

void cushim__condition_create(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;

    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

void cushim__condition_wait(pthread_cond_t *condition, pthread_mutex_t *lock, uint64_t ns)
{
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    ns += (uint64_t)until.tv_nsec;
    until.tv_sec += (time_t)(ns / SECOND_NS);
    until.tv_nsec = (long)(ns % SECOND_NS);
    pthread_cond_timedwait(condition, lock, &until);
}
