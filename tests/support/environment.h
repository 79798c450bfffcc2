/* SPDX-License-Identifier: Apache-2.0 */
/* Environment variables of this process, as the library and child processes see them. */
#ifndef CUSHIM_TESTS_SUPPORT_ENVIRONMENT_H
#define CUSHIM_TESTS_SUPPORT_ENVIRONMENT_H

/* Set a variable; `value` may be empty. NULL removes the variable. */
void environment_set(const char *name, const char *value);

#endif
