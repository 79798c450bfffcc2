/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Open descriptors of this process. A test that closes all its descriptors has the same number
 * before and after.
 */
#ifndef CUSHIM_TESTS_SUPPORT_DESCRIPTOR_H
#define CUSHIM_TESTS_SUPPORT_DESCRIPTOR_H

/* The number of open descriptors, or -1 if it is unknown. */
int descriptor_count(void);

#endif
