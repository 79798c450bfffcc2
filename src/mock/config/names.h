/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names that stand behind the prefix of a key: device attributes and limits without what all of
 * their enumerators begin with, functions of the driver as they are exported.
 *
 * A member is found by name or, but for functions, by its number in digits.
 */
#ifndef CUSHIM_MOCK_SETTINGS_NAMES_H
#define CUSHIM_MOCK_SETTINGS_NAMES_H

#include "src/mock/config/lines.h"
#include "src/mock/config/suggestion.h"

bool cushim__mock_attribute_find(const struct cushim__word *name, unsigned *number);
void cushim__mock_attribute_offer(struct cushim__suggestion *nearest);

bool cushim__mock_limit_find(const struct cushim__word *name, unsigned *number);
void cushim__mock_limit_offer(struct cushim__suggestion *nearest);

bool cushim__mock_call_find(const struct cushim__word *name, unsigned *number);
void cushim__mock_call_offer(struct cushim__suggestion *nearest);

#endif
