/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of every kind on the loaded mock, and every call on them in a process that must not. */
#ifndef CUSHIM_TESTS_LIFE_OBJECTS_H
#define CUSHIM_TESTS_LIFE_OBJECTS_H

/* Load a mock as the driver, initialise it, and make the objects. False: that failed. */
int objects_begin(void);

/* How many of the objects' own calls do not work as they do in the process that made them. */
int objects_count_dead(void);

/*
 * In a forked child: how many public functions were called, and how many did not answer what is
 * documented there. The latter are printed.
 */
int objects_call_in_child(int *calls);

/* Release all; the number of releases, or less than 0: one did not answer CUDA_SUCCESS. */
int objects_release(void);

#endif
