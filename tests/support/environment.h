/* SPDX-License-Identifier: Apache-2.0 */
/* Variables of this process's environment, as the library and children see them. */
#ifndef CUSHIM_TESTS_SUPPORT_ENVIRONMENT_H
#define CUSHIM_TESTS_SUPPORT_ENVIRONMENT_H

/* Set one; `value` may be empty. NULL: there is none of this name then. */
void environment_set(const char *name, const char *value);

#endif
