/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUSHIM_TESTS_BENCH_LOOP_H
#define CUSHIM_TESTS_BENCH_LOOP_H

/*
 * Query an event so often, and write the processor time of one query in ns: 0 if every call
 * succeeded, else what they answered. The event is a real one: of the first device's primary
 * context, and never recorded, so it is done.
 */
int loop(unsigned turns, double *ns);

#endif
