/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that opens a gate, while the test's own thread waits for what is behind it. */
#ifndef CUSHIM_TESTS_GPU_OPENER_H
#define CUSHIM_TESTS_GPU_OPENER_H

#include "gate.h"

struct opener {
    struct gate *gate;
    unsigned after_ms; /* how long the work in front of the waiter lasts */
    pthread_t thread;
};

void opener_start(struct opener *opener, struct gate *gate, unsigned after_ms);
void opener_join(struct opener *opener);

#endif
