/* SPDX-License-Identifier: Apache-2.0 */
/* What a rule may consist of, when it is due, and the rule as text. */
#include "src/layer/fault_rule.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "src/base/options.h"
#include "src/base/text.h"
#include "src/driver_api/result.h"

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

const char *const cushim__fault_effects[] = {
    [CUSHIM_FAULT_RETURN] = "return", [CUSHIM_FAULT_STICKY] = "sticky",
    [CUSHIM_FAULT_LOST] = "lost",     [CUSHIM_FAULT_DELAY] = "delay",
    [CUSHIM_FAULT_HANG] = "hang",     [CUSHIM_FAULT_MISSING] = "missing",
    [CUSHIM_FAULT_OLDER] = "older",   NULL,
};

/* Parts that do not go with one another. The latter is what the message points at. */
static const struct {
    unsigned one, other;
    const char *why;
} apart[] = {
    {BIT(NTH), BIT(AFTER), "nth means one match alone, so after does not go with it"},
    {BIT(NTH), BIT(EVERY), "nth means one match alone, so every does not go with it"},
    {BIT(NTH), BIT(PROBABILITY), "nth means one match alone, so p does not go with it"},
    {BIT(NTH), BIT(TIMES), "nth means one match alone, so times does not go with it"},
};

/* The first of some parts that the rule says. */
static enum cushim__fault_part first_of(const struct cushim__fault_rule *rule, unsigned parts)
{
    unsigned part = 0;

    while (!(rule->parts & parts & 1U << part))
        part++;
    return (enum cushim__fault_part)part;
}

static bool is_of_symbol(const struct cushim__fault_rule *rule)
{
    return rule->effect == CUSHIM_FAULT_MISSING || rule->effect == CUSHIM_FAULT_OLDER;
}

/* A symbol exists or does not, whoever calls it and however often. */
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
    if (rule->effect == CUSHIM_FAULT_RETURN || is_of_symbol(rule)) {
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

void cushim__fault_state_begin(struct cushim__fault_state *state,
                               const struct cushim__fault_rule *rule)
{
    *state = (struct cushim__fault_state){.random = rule->seed};
}

/* A number below CUSHIM__FAULT_CERTAIN (the generator splitmix64). */
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

struct writing {
    char *text;
    size_t length;
    char mark; /* written before the next condition */
};

__attribute__((format(__printf__, 2, 3))) static void put(struct writing *writing,
                                                          const char *format, ...)
{
    const size_t room = CUSHIM__FAULT_TEXT - writing->length;
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(writing->text + writing->length, room, format, arguments);
    va_end(arguments);
    if (length > 0)
        writing->length += (size_t)length < room ? (size_t)length : room - 1;
}

static void put_condition(struct writing *writing, enum cushim__fault_part part, uint64_t number)
{
    if (number == 0)
        return;
    put(writing, "%c%s=%" PRIu64, writing->mark, cushim__fault_conditions[part], number);
    writing->mark = ',';
}

static void put_probability(struct writing *writing, uint32_t probability)
{
    char decimals[16];
    size_t length;

    if (probability == 0)
        return;
    length = (size_t)snprintf(decimals, sizeof decimals, "%09" PRIu32,
                              probability % CUSHIM__FAULT_CERTAIN);
    while (length > 0 && decimals[length - 1] == '0')
        length--;
    put(writing, "%cp=%" PRIu32 "%s%.*s", writing->mark, probability / CUSHIM__FAULT_CERTAIN,
        length ? "." : "", (int)length, decimals);
    writing->mark = ',';
}

static void put_code(struct writing *writing, CUresult code)
{
    static const char prefix[] = "CUDA_ERROR_";
    const char *name = cushim__result_name(code);

    if (name && strncmp(name, prefix, strlen(prefix)) == 0)
        put(writing, "(%s)", name + strlen(prefix));
    else
        put(writing, "(%u)", (unsigned)code);
}

static void put_delay(struct writing *writing, uint64_t ns)
{
    static const struct {
        uint64_t ns;
        const char *name;
    } units[] = {{1000000000, "s"}, {1000000, "ms"}, {1000, "us"}, {1, "ns"}};
    size_t unit = 0;

    while (ns % units[unit].ns != 0)
        unit++;
    put(writing, "(%" PRIu64 " %s)", ns / units[unit].ns, units[unit].name);
}

static void put_version(struct writing *writing, int version)
{
    if (version > 0 && version % 10 == 0 && version % 1000 < 100)
        put(writing, "(%d.%d)", version / 1000, version % 1000 / 10);
    else
        put(writing, "(%d)", version);
}

static void put_argument(struct writing *writing, const struct cushim__fault_rule *rule)
{
    switch (rule->effect) {
    case CUSHIM_FAULT_RETURN:
    case CUSHIM_FAULT_STICKY:
    case CUSHIM_FAULT_LOST:
        put_code(writing, rule->code);
        break;
    case CUSHIM_FAULT_DELAY:
        put_delay(writing, rule->delay_ns);
        break;
    case CUSHIM_FAULT_OLDER:
        put_version(writing, rule->version);
        break;
    default:
        break;
    }
}

void cushim__fault_write(const struct cushim__fault_rule *rule, char text[CUSHIM__FAULT_TEXT])
{
    struct writing writing = {.text = text, .mark = ':'};

    put(&writing, "%s", rule->site);
    if (rule->device >= 0)
        put(&writing, "@dev%d", rule->device);
    put_condition(&writing, CUSHIM__FAULT_OF_NTH, rule->nth);
    put_condition(&writing, CUSHIM__FAULT_OF_AFTER, rule->after);
    put_condition(&writing, CUSHIM__FAULT_OF_EVERY, rule->every);
    put_probability(&writing, rule->probability);
    put_condition(&writing, CUSHIM__FAULT_OF_SEED, rule->seed);
    put_condition(&writing, CUSHIM__FAULT_OF_TIMES, rule->times);
    if (rule->phase == CUSHIM_FAULT_AFTER)
        put(&writing, "%cphase=after", writing.mark);
    put(&writing, " => %s", cushim__fault_effects[rule->effect]);
    put_argument(&writing, rule);
}

static CUresult refuse(char *message, size_t size, const char *why)
{
    if (size)
        snprintf(message, size, "fault: %s", why);
    return CUDA_ERROR_INVALID_VALUE;
}

/* What text could not say, or could be taken for another part of it; NULL: nothing. */
static const char *check(const struct cushim_fault *fault)
{
    if (!fault->site)
        return "the site is NULL";
    if (strlen(fault->site) >= CUSHIM__FAULT_SITE)
        return "the site is too long";
    if (strspn(fault->site, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.*@") !=
        strlen(fault->site))
        return "a site has letters, digits, \"_\", \".\", \"*\" and \"@\" alone";
    if ((unsigned)fault->effect > CUSHIM_FAULT_OLDER || (unsigned)fault->phase > CUSHIM_FAULT_AFTER)
        return "there is no such effect or phase";
    if (!(fault->probability == 0) && !(fault->probability >= 1e-9 && fault->probability <= 1))
        return "the probability is from 1e-9 to 1";
    if (fault->effect == CUSHIM_FAULT_DELAY && fault->delay_ns == 0)
        return "the delay is from 1 ns to 1000 s";
    return NULL;
}

CUresult cushim__fault_read_struct(struct cushim__fault_rule *rule,
                                   const struct cushim_fault *fault, char *message,
                                   size_t message_size)
{
    struct cushim_fault known = {.size = sizeof known};
    struct cushim__fault_rule said = {.device = -1};
    char text[CUSHIM__FAULT_TEXT], why[CUSHIM__FAULT_TEXT];
    struct cushim__lines lines;
    const char *problem;

    if (!cushim__options_read(&known, sizeof known, fault))
        return refuse(message, message_size, "the size of the struct cannot be");
    problem = check(&known);
    if (problem)
        return refuse(message, message_size, problem);
    snprintf(said.site, sizeof said.site, "%s", known.site);
    said.nth = known.nth;
    said.after = known.after;
    said.every = known.every;
    said.seed = known.seed;
    said.times = known.times;
    said.probability = (uint32_t)(known.probability * CUSHIM__FAULT_CERTAIN + 0.5);
    said.phase = known.phase;
    said.effect = known.effect;
    said.code = known.effect == CUSHIM_FAULT_LOST && known.code == CUDA_SUCCESS ? CUDA_ERROR_UNKNOWN
                                                                                : known.code;
    said.delay_ns = known.delay_ns;
    said.version = known.version;
    cushim__fault_write(&said, text);
    cushim__lines_begin(&lines, text, "", why, sizeof why);
    if (cushim__fault_read(rule, &(struct cushim__word){text, strlen(text)}, &lines) ==
        CUDA_SUCCESS)
        return CUDA_SUCCESS;
    /* Without the line and column, which are those of a text that the caller has not written. */
    return refuse(message, message_size, strstr(why, ": ") + 2);
}
