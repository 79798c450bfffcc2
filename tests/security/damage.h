/* SPDX-License-Identifier: Apache-2.0 */
/* Random damage to bytes or to a text; the same seed causes the same damage. */
#ifndef CUSHIM_TESTS_SECURITY_DAMAGE_H
#define CUSHIM_TESTS_SECURITY_DAMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void damage_seed(uint64_t seed);

/*
 * Damage bytes in a few random ways. Returns the new size: at least one, and no more than before.
 */
size_t damage(unsigned char *bytes, size_t size, bool is_text);

#endif
