/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wrong mocks: the mock's shared library with one fault each, on which the suite must fail. wrong.c
 * puts a patched table between the exported functions and the mock; each other file is one fault.
 */
#ifndef CUSHIM_TESTS_CONFORMANCE_WRONG_H
#define CUSHIM_TESTS_CONFORMANCE_WRONG_H

#include <cushim/table.h>

/* What the exported functions would call without the fault. */
extern const struct cushim_table *right;

/* Put the fault into a copy of it. */
void wrong_patch(struct cushim_table *table);

#endif
