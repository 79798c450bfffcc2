/* SPDX-License-Identifier: Apache-2.0 */
/* Rules that the operations of the mock meet. All of this runs under the mock's lock. */
#include <string.h>

#include "src/layer/fault/rules.h"
#include "src/layer/fault/site.h"
#include "src/layer/pattern.h"

static bool is_met(const struct cushim__fault_rule *rule, const char *kind, int device)
{
    const char *own = rule->site + strlen(cushim__site_operation);

    return (rule->device < 0 || rule->device == device) && cushim__pattern_fits(own, kind);
}

static void strike(struct cushim__operation_fault *fault, const struct cushim__fault_rule *rule)
{
    fault->hangs = rule->effect == CUSHIM_FAULT_HANG;
    fault->code = rule->code;
    fault->is_lost = rule->effect == CUSHIM_FAULT_LOST;
    fault->device = rule->device;
}

void cushim__faults_of_operation(struct cushim__operation_fault *fault, const char *kind,
                                 int device)
{
    uint64_t set = __atomic_load_n(&cushim__faults.operations, __ATOMIC_ACQUIRE);

    *fault = (struct cushim__operation_fault){0};
    for (; set; set &= set - 1) {
        const unsigned number = cushim__fault_first(set);
        const struct cushim__fault_rule *rule = &cushim__faults.rules[number];

        if (!is_met(rule, kind, device) ||
            !cushim__fault_match(&cushim__faults.states[number], rule))
            continue;
        if (rule->effect == CUSHIM_FAULT_DELAY)
            fault->delay_ns += rule->delay_ns;
        else if (!fault->hangs && fault->code == CUDA_SUCCESS)
            strike(fault, rule);
        else
            continue;
        cushim__fault_fired(number);
    }
}
