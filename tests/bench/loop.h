/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUSHIM_TESTS_BENCH_LOOP_H
#define CUSHIM_TESTS_BENCH_LOOP_H

/* Query an event so often; 0 if every query succeeded. */
int loop(unsigned turns);

#endif
