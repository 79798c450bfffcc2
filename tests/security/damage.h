/* SPDX-License-Identifier: Apache-2.0 */
/* Damage to bytes, or to a text, at random: by numbers that a seed brings back. */
#ifndef CUSHIM_TESTS_SECURITY_DAMAGE_H
#define CUSHIM_TESTS_SECURITY_DAMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void damage_seed(uint64_t seed);

/*
 * Damage them in some ways. Returns how many there are then: no more than before, and at least one.
 */
size_t damage(unsigned char *bytes, size_t size, bool is_text);

#endif
