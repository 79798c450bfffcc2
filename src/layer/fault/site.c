/* SPDX-License-Identifier: Apache-2.0 */
#include "src/layer/fault/site.h"

#include <stdio.h>
#include <string.h>

#include "loader/symbols.h"
#include "src/base/suggestion.h"
#include "src/layer/fault/rule.h"
#include "src/layer/pattern.h"

const char cushim__site_operation[] = "op.";

const char *const cushim__site_kinds[] = {
    "copy", "set",      "kernel",   "record", "wait",  "value",
    "host", "callback", "prefetch", "free",   "graph", NULL,
};

static CUresult check_operation(const struct cushim__lines *lines, const struct cushim__word *kind)
{
    struct cushim__suggestion nearest;
    char hint[64] = "";

    if (cushim__word_is(kind, "*"))
        return CUDA_SUCCESS;
    cushim__suggestion_begin(&nearest, kind);
    for (size_t i = 0; cushim__site_kinds[i]; i++) {
        if (cushim__word_is(kind, cushim__site_kinds[i]))
            return CUDA_SUCCESS;
        cushim__suggestion_offer(&nearest, cushim__site_kinds[i]);
    }
    if (nearest.name)
        snprintf(hint, sizeof hint, "; did you mean \"%s\"?", nearest.name);
    return cushim__lines_refuse(lines, kind->start, "there is no kind of operations \"%.*s\"%s",
                                cushim__word_shown(kind), kind->start, hint);
}

static CUresult check_pattern(const struct cushim__lines *lines, const struct cushim__word *site)
{
    char pattern[CUSHIM__FAULT_SITE];

    snprintf(pattern, sizeof pattern, "%.*s", (int)site->length, site->start);
    for (size_t i = 0; i < CUSHIM__SYMBOL_COUNT; i++) {
        if (cushim__pattern_fits(pattern, cushim__slot_name(i)))
            return CUDA_SUCCESS;
    }
    return cushim__lines_refuse(lines, site->start, "no function is like \"%.*s\"",
                                cushim__word_shown(site), site->start);
}

static CUresult check_name(const struct cushim__lines *lines, const struct cushim__word *site)
{
    struct cushim__suggestion nearest;
    char hint[96] = "";
    unsigned slot;

    if (cushim__value_function(site, &slot))
        return CUDA_SUCCESS;
    cushim__suggestion_begin(&nearest, site);
    cushim__suggestion_offer_functions(&nearest);
    if (nearest.name)
        snprintf(hint, sizeof hint, "; did you mean \"%s\"?", nearest.name);
    return cushim__lines_refuse(lines, site->start, "there is no function \"%.*s\"%s",
                                cushim__word_shown(site), site->start, hint);
}

CUresult cushim__site_check(const struct cushim__lines *lines, const struct cushim__word *site)
{
    struct cushim__word kind;

    if (site->length == 0)
        return cushim__lines_refuse(lines, site->start, "a rule is `site => effect`");
    if (site->length >= CUSHIM__FAULT_SITE)
        return cushim__lines_refuse(lines, site->start, "a site is at most %d characters long",
                                    CUSHIM__FAULT_SITE - 1);
    if (cushim__word_begins(site, cushim__site_operation, &kind))
        return check_operation(lines, &kind);
    return memchr(site->start, '*', site->length) ? check_pattern(lines, site)
                                                  : check_name(lines, site);
}
