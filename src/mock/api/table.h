/* SPDX-License-Identifier: Apache-2.0 */
/* The mock's table, and its slots by name; generated. */
#ifndef CUSHIM_MOCK_TABLE_H
#define CUSHIM_MOCK_TABLE_H

#include <stdint.h>

#include <cushim/table.h>

/* Every slot begins a call, calls the function that implements it or refuses, and ends the call. */
extern const struct cushim_table cushim__mock_table;

/* All slots, ascending by exported name. */
extern const uint16_t cushim__mock_by_name[];

#endif
