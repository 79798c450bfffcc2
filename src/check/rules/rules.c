/* SPDX-License-Identifier: Apache-2.0 */
#include "src/check/rules/rules.h"

#include <stdint.h>

const char *const cushim__check_levels[] = {"advice", "warning", "error"};

const struct cushim__check_rule cushim__check_rules[CUSHIM__CHECK_IDS] = {
#include "src/check/rules/rule_rows.h"
};

static const struct {
    uint8_t destroyed, leaked; /* no leak has the id 0 */
} types[CUSHIM__OBJECT_TYPES] = {
#include "src/check/rules/rule_types.h"
};

enum cushim__check_id cushim__check_of_destroyed(enum cushim__object_type type)
{
    return types[type].leaked ? (enum cushim__check_id)types[type].destroyed
                              : CUSHIM__CHECK_HANDLE_DESTROYED;
}

enum cushim__check_id cushim__check_of_leaked(enum cushim__object_type type)
{
    return types[type].leaked ? (enum cushim__check_id)types[type].leaked
                              : CUSHIM__CHECK_LEAK_OBJECT;
}
