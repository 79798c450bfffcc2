/* SPDX-License-Identifier: Apache-2.0 */
/* What calls and operations cost by default. */
#ifndef CUSHIM_MOCK_SETTINGS_COSTS_H
#define CUSHIM_MOCK_SETTINGS_COSTS_H

#include "src/mock/config/settings.h"

/* What operations cost. */
extern const struct mock_costs cushim__mock_costs_default;

/* Fill what single functions cost: `call_ns` has one entry per slot. */
void cushim__mock_costs_fill(uint32_t *call_ns);

#endif
