/* SPDX-License-Identifier: Apache-2.0 */
#include "src/driver_api/result.h"

#include "loader/results.h"

static const struct cushim__result *find(CUresult code)
{
    for (size_t i = 0; i < CUSHIM__RESULT_COUNT; i++) {
        if (cushim__results[i].number == (unsigned)code)
            return &cushim__results[i];
    }
    return NULL;
}

const char *cushim__result_name(CUresult code)
{
    const struct cushim__result *result = find(code);

    return result ? result->name : NULL;
}

const char *cushim__result_meaning(CUresult code)
{
    const struct cushim__result *result = find(code);

    return result ? result->meaning : NULL;
}

int cushim__result_since(CUresult code)
{
    const struct cushim__result *result = find(code);

    return result ? result->since : 0;
}

bool cushim__result_is_sticky(CUresult code)
{
    const struct cushim__result *result = find(code);

    return result && result->sticky == CUSHIM_STICKY_CONTEXT;
}

const char *cushim__result_listed(size_t index, CUresult *code)
{
    if (index >= CUSHIM__RESULT_COUNT)
        return NULL;
    *code = (CUresult)cushim__results[index].number;
    return cushim__results[index].name;
}

void cushim__result_add(struct cushim__text *text, CUresult code)
{
    const char *name = cushim__result_name(code);

    if (name)
        cushim__text_add(text, name);
    else
        cushim__text_format(text, "%d", (int)code);
}
