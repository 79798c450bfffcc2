/* SPDX-License-Identifier: Apache-2.0 */
#include "src/layer/fault/parse.h"

#include <stdio.h>
#include <string.h>

#include "src/base/suggestion.h"
#include "src/layer/fault/part.h"
#include "src/layer/fault/site.h"

/* A rule that is being read, and where its parts stand. */
struct reading {
    const struct cushim__lines *lines;
    struct cushim__fault_rule *rule;
    const char *where[CUSHIM__FAULT_PARTS];
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static struct cushim__word trim(struct cushim__word word)
{
    for (; word.length && is_blank(*word.start); word.start++)
        word.length--;
    while (word.length && is_blank(word.start[word.length - 1]))
        word.length--;
    return word;
}

/*
 * Cut what stands before a mark off a word; the word keeps what is behind it. Without the mark the
 * whole word is cut off. Returns whether it was there.
 */
static bool cut(struct cushim__word *word, const char *mark, struct cushim__word *before)
{
    const size_t length = strlen(mark);
    size_t at = 0;

    while (at + length <= word->length && memcmp(word->start + at, mark, length) != 0)
        at++;
    if (at + length > word->length) {
        *before = trim(*word);
        *word = (struct cushim__word){word->start + word->length, 0};
        return false;
    }
    *before = trim((struct cushim__word){word->start, at});
    *word = trim((struct cushim__word){word->start + at + length, word->length - at - length});
    return true;
}

static CUresult read_site(struct reading *reading, struct cushim__word site)
{
    struct cushim__fault_rule *rule = reading->rule;
    struct cushim__word device = site, kind;
    const bool has_device = cut(&device, "@", &site);
    CUresult code = cushim__site_check(reading->lines, &site);

    if (code != CUDA_SUCCESS)
        return code;
    memcpy(rule->site, site.start, site.length);
    rule->is_operation = cushim__word_begins(&site, cushim__site_operation, &kind);
    reading->where[CUSHIM__FAULT_OF_SITE] = site.start;
    reading->where[CUSHIM__FAULT_OF_DEVICE] = device.start;
    return has_device ? cushim__fault_read_device(rule, &device, reading->lines) : CUDA_SUCCESS;
}

static CUresult refuse_condition(const struct cushim__lines *lines, const struct cushim__word *name)
{
    struct cushim__suggestion nearest;
    char hint[64] = "";

    cushim__suggestion_begin(&nearest, name);
    for (int i = CUSHIM__FAULT_OF_NTH; i <= CUSHIM__FAULT_OF_PHASE; i++)
        cushim__suggestion_offer(&nearest, cushim__fault_conditions[i]);
    if (nearest.name)
        snprintf(hint, sizeof hint, "; did you mean \"%s\"?", nearest.name);
    return cushim__lines_refuse(lines, name->start, "there is no condition \"%.*s\"%s",
                                cushim__word_shown(name), name->start, hint);
}

static CUresult read_condition(struct reading *reading, struct cushim__word condition)
{
    struct cushim__word value = condition, name;
    const bool has_value = cut(&value, "=", &name);
    int part = CUSHIM__FAULT_OF_NTH;

    while (part <= CUSHIM__FAULT_OF_PHASE &&
           !cushim__word_is(&name, cushim__fault_conditions[part]))
        part++;
    if (part > CUSHIM__FAULT_OF_PHASE)
        return refuse_condition(reading->lines, &name);
    if (reading->where[part])
        return cushim__lines_refuse(reading->lines, name.start, "%s is said twice",
                                    cushim__fault_conditions[part]);
    reading->where[part] = name.start;
    if (!has_value || value.length == 0)
        return cushim__lines_refuse(reading->lines, name.start, "%s lacks its value",
                                    cushim__fault_conditions[part]);
    return cushim__fault_read_condition(reading->rule, (enum cushim__fault_part)part, &value,
                                        reading->lines);
}

static CUresult read_conditions(struct reading *reading, struct cushim__word conditions)
{
    struct cushim__word condition;
    bool is_more = true;
    CUresult code = CUDA_SUCCESS;

    while (code == CUDA_SUCCESS && is_more) {
        is_more = cut(&conditions, ",", &condition);
        code = read_condition(reading, condition);
    }
    return code;
}

static CUresult read_effect(struct reading *reading, struct cushim__word effect)
{
    struct cushim__word name, argument, rest = effect;
    const bool has_argument = cut(&rest, "(", &name);

    reading->where[CUSHIM__FAULT_OF_EFFECT] = name.start;
    reading->where[CUSHIM__FAULT_OF_ARGUMENT] = rest.start;
    if (name.length == 0)
        return cushim__lines_refuse(reading->lines, name.start, "behind => comes an effect");
    if (!has_argument)
        return cushim__fault_read_effect(reading->rule, &name, NULL, reading->lines);
    if (!cut(&rest, ")", &argument))
        return cushim__lines_refuse(reading->lines, effect.start + effect.length,
                                    "the argument lacks its closing parenthesis");
    if (rest.length)
        return cushim__lines_refuse(reading->lines, rest.start, "\"%.*s\" is behind the rule",
                                    cushim__word_shown(&rest), rest.start);
    return cushim__fault_read_effect(reading->rule, &name, &argument, reading->lines);
}

/* What no site and no condition has: an effect without its arrow, or behind another. */
static CUresult check_arrow(const struct cushim__lines *lines, const struct cushim__word *text)
{
    struct cushim__word rest = *text, before;
    const char *at;

    if (!cut(&rest, "->", &before)) {
        rest = *text;
        if (!cut(&rest, "(", &before))
            return CUDA_SUCCESS;
    }
    for (at = before.start + before.length; is_blank(*at); at++)
        ;
    return cushim__lines_refuse(lines, at, "\"=>\" is missing: a rule is `site => effect`");
}

CUresult cushim__fault_read(struct cushim__fault_rule *rule, const struct cushim__word *text,
                            const struct cushim__lines *lines)
{
    struct reading reading = {.lines = lines, .rule = rule};
    struct cushim__word effect = *text, conditions, site;
    const bool has_effect = cut(&effect, "=>", &conditions);
    const bool has_conditions = cut(&conditions, ":", &site);
    enum cushim__fault_part part;
    const char *contradiction;
    CUresult code;

    *rule = (struct cushim__fault_rule){.device = -1};
    code = has_effect ? CUDA_SUCCESS : check_arrow(lines, text);
    if (code == CUDA_SUCCESS)
        code = read_site(&reading, site);
    if (code == CUDA_SUCCESS && has_conditions)
        code = read_conditions(&reading, conditions);
    if (code == CUDA_SUCCESS && !has_effect)
        code = cushim__lines_refuse(lines, effect.start, "a rule is `site => effect`");
    if (code == CUDA_SUCCESS)
        code = read_effect(&reading, effect);
    if (code != CUDA_SUCCESS)
        return code;
    contradiction = cushim__fault_contradiction(rule, &part);
    return contradiction ? cushim__lines_refuse(lines, reading.where[part], "%s", contradiction)
                         : CUDA_SUCCESS;
}

CUresult cushim__fault_check(const struct cushim__word *rule, const struct cushim__lines *lines)
{
    struct cushim__fault_rule read;

    return cushim__fault_read(&read, rule, lines);
}
