/* SPDX-License-Identifier: Apache-2.0 */
/* The program that runs, for whoever starts it anew. */
#ifndef CUSHIM_TESTS_SUPPORT_PROGRAM_H
#define CUSHIM_TESTS_SUPPORT_PROGRAM_H

/* Begin this program anew in this process. Returns if that fails; errno says why. */
void program_restart(const char *const *arguments);

#endif
