/* SPDX-License-Identifier: Apache-2.0 */
/* Which parts a rule may combine, and when it is due. */
#include "src/layer/fault_rule.h"

#include <stddef.h>

#define BIT(part) (1U << CUSHIM__FAULT_OF_##part)

enum {
    CONDITIONS =
        BIT(NTH) | BIT(AFTER) | BIT(EVERY) | BIT(PROBABILITY) | BIT(SEED) | BIT(TIMES) | BIT(PHASE)
};

const char *const cushim__fault_conditions[CUSHIM__FAULT_PARTS] = {
    [CUSHIM__FAULT_OF_NTH] = "nth",     [CUSHIM__FAULT_OF_AFTER] = "after",
    [CUSHIM__FAULT_OF_EVERY] = "every", [CUSHIM__FAULT_OF_PROBABILITY] = "p",
    [CUSHIM__FAULT_OF_SEED] = "seed",   [CUSHIM__FAULT_OF_TIMES] = "times",
    [CUSHIM__FAULT_OF_PHASE] = "phase",
};

/* Parts that exclude one another. The message points at the latter. */
static const struct {
    unsigned one, other;
    const char *why;
} apart[] = {
    {BIT(NTH), BIT(AFTER), "nth means one match alone, so after does not go with it"},
    {BIT(NTH), BIT(EVERY), "nth means one match alone, so every does not go with it"},
    {BIT(NTH), BIT(PROBABILITY), "nth means one match alone, so p does not go with it"},
    {BIT(NTH), BIT(TIMES), "nth means one match alone, so times does not go with it"},
};

/* The first of some parts that the rule has. */
static enum cushim__fault_part first_of(const struct cushim__fault_rule *rule, unsigned parts)
{
    unsigned part = 0;

    while (!(rule->parts & parts & 1U << part))
        part++;
    return (enum cushim__fault_part)part;
}

static bool is_of_symbol(const struct cushim__fault_rule *rule)
{
    return rule->effect == CUSHIM__FAULT_MISSING || rule->effect == CUSHIM__FAULT_OLDER;
}

/* A symbol exists for all calls or for none, so its rules take no conditions and no device. */
static const char *check_symbol(const struct cushim__fault_rule *rule,
                                enum cushim__fault_part *where)
{
    if (rule->parts & CONDITIONS) {
        *where = first_of(rule, CONDITIONS);
        return "missing and older hold from the beginning, so they take no conditions";
    }
    *where = CUSHIM__FAULT_OF_DEVICE;
    return rule->device >= 0 ? "missing and older are of the driver, not of a device" : NULL;
}

static const char *check_operation(const struct cushim__fault_rule *rule,
                                   enum cushim__fault_part *where)
{
    if (rule->effect == CUSHIM__FAULT_RETURN || is_of_symbol(rule)) {
        *where = CUSHIM__FAULT_OF_EFFECT;
        return "an operation can have sticky, lost, delay or hang";
    }
    *where = CUSHIM__FAULT_OF_PHASE;
    return rule->parts & BIT(PHASE) ? "phase is of calls, and an operation is none" : NULL;
}

const char *cushim__fault_contradiction(const struct cushim__fault_rule *rule,
                                        enum cushim__fault_part *where)
{
    for (size_t i = 0; i < sizeof apart / sizeof apart[0]; i++) {
        if (rule->parts & apart[i].one && rule->parts & apart[i].other) {
            *where = first_of(rule, apart[i].other);
            return apart[i].why;
        }
    }
    if (rule->parts & BIT(SEED) && !(rule->parts & BIT(PROBABILITY))) {
        *where = CUSHIM__FAULT_OF_SEED;
        return "seed is that of p, which is not said";
    }
    if (rule->is_operation)
        return check_operation(rule, where);
    return is_of_symbol(rule) ? check_symbol(rule, where) : NULL;
}

/* Draw a number below CUSHIM__FAULT_CERTAIN with the generator splitmix64. */
static uint32_t draw(uint64_t *random)
{
    uint64_t bits = *random += UINT64_C(0x9e3779b97f4a7c15);

    bits = (bits ^ bits >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    bits = (bits ^ bits >> 27) * UINT64_C(0x94d049bb133111eb);
    bits ^= bits >> 31;
    return (uint32_t)((bits >> 32) * CUSHIM__FAULT_CERTAIN >> 32);
}

bool cushim__fault_match(struct cushim__fault_state *state, const struct cushim__fault_rule *rule)
{
    const uint64_t matched = __atomic_add_fetch(&state->matched, 1, __ATOMIC_RELAXED);

    if (rule->nth)
        return matched == rule->nth;
    if (matched <= rule->after || (rule->every && (matched - rule->after) % rule->every != 0))
        return false;
    if (rule->probability && draw(&state->random) >= rule->probability)
        return false;
    return !rule->times || state->fired < rule->times;
}
