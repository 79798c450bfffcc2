/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "opener.h"

#include <time.h>

#include "check.h"

static void *open_it(void *data)
{
    const struct opener *opener = data;
    const struct timespec pause = {0, (long)opener->after_ms * 1000000};

    nanosleep(&pause, NULL);
    gate_open(opener->gate);
    return NULL;
}

void opener_start(struct opener *opener, struct gate *gate, unsigned after_ms)
{
    opener->gate = gate;
    opener->after_ms = after_ms;
    if (pthread_create(&opener->thread, NULL, open_it, opener) != 0)
        fail("a thread cannot be had");
}

void opener_join(struct opener *opener)
{
    pthread_join(opener->thread, NULL);
}
