/* SPDX-License-Identifier: Apache-2.0 */
/* What children do in tests of fork: functions for forked_answer(). */
#ifndef CUSHIM_TESTS_UNIT_FORK_CHILDREN_H
#define CUSHIM_TESTS_UNIT_FORK_CHILDREN_H

#include "fake.h"

/* Where the loads of both, parents and children, find their driver. */
extern struct fake_source source;

/* What these calls answer; of two, the first one's error or else the second one's answer. */
int query(void);
int load(void);
int load_and_query(void);
int initialise(void);
int initialise_and_query(void);

/* Number of slots that do not answer NOT_INITIALIZED. */
int count_other_answers(void);

/* The state in the report. Negative: the rest of the report contradicts it. */
int state_of_report(void);

#endif
