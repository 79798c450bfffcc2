/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a rule, one value each. What cannot be read is refused at its place. */
#ifndef CUSHIM_LAYER_FAULT_PART_H
#define CUSHIM_LAYER_FAULT_PART_H

#include "src/base/lines.h"
#include "src/layer/fault/rule.h"

/* The value of a condition. */
CUresult cushim__fault_read_condition(struct cushim__fault_rule *rule, enum cushim__fault_part part,
                                      const struct cushim__word *value,
                                      const struct cushim__lines *lines);

/*
 * An effect by its name, and what stands between its parentheses; NULL: it has none.
 */
CUresult cushim__fault_read_effect(struct cushim__fault_rule *rule, const struct cushim__word *name,
                                   const struct cushim__word *argument,
                                   const struct cushim__lines *lines);

/* What is behind the `@` of a site. */
CUresult cushim__fault_read_device(struct cushim__fault_rule *rule,
                                   const struct cushim__word *device,
                                   const struct cushim__lines *lines);

#endif
