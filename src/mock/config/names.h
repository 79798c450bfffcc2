/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names that stand behind the prefix of a key: device attributes and limits, without what all of
 * their enumerators begin with. A member is found by its name, or by its number in digits.
 */
#ifndef CUSHIM_MOCK_SETTINGS_NAMES_H
#define CUSHIM_MOCK_SETTINGS_NAMES_H

#include "src/base/lines.h"
#include "src/base/suggestion.h"

bool cushim__mock_attribute_find(const struct cushim__word *name, unsigned *number);
void cushim__mock_attribute_offer(struct cushim__suggestion *suggestion);

bool cushim__mock_limit_find(const struct cushim__word *name, unsigned *number);
void cushim__mock_limit_offer(struct cushim__suggestion *suggestion);

#endif
