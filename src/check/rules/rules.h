/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kinds of misuse that check reports, each with a stable id: the rows of
 * rules.tsv.
 */
#ifndef CUSHIM_CHECK_RULES_RULES_H
#define CUSHIM_CHECK_RULES_RULES_H

#include <stdbool.h>

#include "src/base/key_values.h"
#include "src/driver_api/object_type.h"

enum cushim__check_level { CUSHIM__CHECK_ADVICE, CUSHIM__CHECK_WARNING, CUSHIM__CHECK_ERROR };
extern const char *const cushim__check_levels[]; /* as text, in this order */

/* The enumerator of CUSHIM-event-time, for example, is CUSHIM__CHECK_EVENT_TIME. */
enum cushim__check_id {
#include "src/check/rules/rule_ids.h"
    CUSHIM__CHECK_IDS
};

/* One row, without the columns that only the documentation needs. */
struct cushim__check_rule {
    enum cushim__check_level level;
    const char *id;
    const char *statements;
    const char *why;
    const char *cure;
};
extern const struct cushim__check_rule cushim__check_rules[CUSHIM__CHECK_IDS];

/* The ids for the use of a destroyed object of a type, and for one that is never destroyed. */
enum cushim__check_id cushim__check_of_destroyed(enum cushim__object_type type);
enum cushim__check_id cushim__check_of_leaked(enum cushim__object_type type);

#endif
