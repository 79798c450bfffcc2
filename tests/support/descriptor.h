/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors of this process: a test that leaves none open has as many at its end as before. */
#ifndef CUSHIM_TESTS_SUPPORT_DESCRIPTOR_H
#define CUSHIM_TESTS_SUPPORT_DESCRIPTOR_H

/* How many are open. -1: it is unknown. */
int descriptor_count(void);

#endif
