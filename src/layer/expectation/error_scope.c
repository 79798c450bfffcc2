/* SPDX-License-Identifier: Apache-2.0 */
/* Errors that calls answer: in which scopes they are expected, and those that are not. */
#include <stddef.h>
#include <string.h>

#include "src/base/result.h"
#include "src/layer/expectation/expectation.h"
#include "src/layer/layer.h"

enum { DEEPEST = 16, TOLD = 4 };

static struct {
    bool is_forbidden;
    struct {
        CUresult code; /* CUDA_SUCCESS: any */
        uint64_t count;
    } scopes[DEEPEST];
    unsigned depth;
    uint64_t count; /* of errors that nobody expects */
    struct cushim__told_call first[TOLD];
    uint64_t idle; /* scopes in which no error came, and what the first of them expected */
    CUresult missed[TOLD];
} errors;

static bool is_error(const struct cushim__call *call, CUresult answer)
{
    return answer != CUDA_SUCCESS && answer != CUDA_ERROR_NOT_READY &&
           call->slot != CUSHIM__SLOT(GetProcAddress) &&
           call->slot != CUSHIM__SLOT(GetProcAddress_v2);
}

static bool is_expected(CUresult answer)
{
    for (unsigned i = errors.depth; i-- > 0;) {
        if (errors.scopes[i].code == CUDA_SUCCESS || errors.scopes[i].code == answer) {
            errors.scopes[i].count++;
            return true;
        }
    }
    return false;
}

void cushim__errors_judge(const struct cushim__call *call, CUresult answer)
{
    if (!is_error(call, answer) || is_expected(answer) || !errors.is_forbidden || call->is_injected)
        return;
    if (errors.count < TOLD)
        cushim__told_call(&errors.first[errors.count], call, answer);
    errors.count++;
}

static void add_wanted(struct cushim__text *text, CUresult code)
{
    if (code == CUDA_SUCCESS)
        cushim__text_add(text, "an error");
    else
        cushim__result_add(text, code);
}

void cushim__errors_tell(struct cushim__text *text)
{
    for (unsigned i = 0; i < errors.count && i < TOLD; i++)
        cushim__text_format(text, "error that nothing expects: %s\n", errors.first[i].text);
    if (errors.count > TOLD)
        cushim__text_format(text, "and %llu more errors\n",
                            (unsigned long long)(errors.count - TOLD));
    for (unsigned i = 0; i < errors.idle && i < TOLD; i++) {
        cushim__text_add(text, "expected ");
        add_wanted(text, errors.missed[i]);
        cushim__text_add(text, " of a call in a scope; none came\n");
    }
    if (errors.depth > 0) {
        cushim__text_add(text, "a scope that expects ");
        add_wanted(text, errors.scopes[errors.depth - 1].code);
        cushim__text_add(text, " has not ended\n");
    }
}

void cushim__errors_clear(void)
{
    memset(&errors, 0, sizeof errors);
}

bool cushim__errors_are_asked(void)
{
    return errors.is_forbidden || errors.depth > 0;
}

CUresult cushim_errors_forbid(struct cushim_layer *layer, bool is_forbidden)
{
    bool is_watched;

    if (!cushim__layer_exists(layer))
        return CUDA_ERROR_INVALID_VALUE;
    cushim__lock_take(&layer->lock);
    errors.is_forbidden = is_forbidden;
    is_watched = cushim__expectations_watch();
    cushim__lock_release(&layer->lock);
    return is_watched ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cushim_expect_errors_begin(struct cushim_layer *layer, CUresult code)
{
    bool is_open;

    if (!cushim__layer_exists(layer))
        return CUDA_ERROR_INVALID_VALUE;
    cushim__lock_take(&layer->lock);
    is_open = errors.depth < DEEPEST;
    if (is_open) {
        errors.scopes[errors.depth].code = code;
        errors.scopes[errors.depth].count = 0;
        errors.depth++;
        is_open = cushim__expectations_watch();
    }
    cushim__lock_release(&layer->lock);
    return is_open ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cushim_expect_errors_end(struct cushim_layer *layer)
{
    bool is_open;

    if (!cushim__layer_exists(layer))
        return CUDA_ERROR_INVALID_VALUE;
    cushim__lock_take(&layer->lock);
    is_open = errors.depth > 0;
    if (is_open) {
        errors.depth--;
        if (errors.scopes[errors.depth].count == 0) {
            if (errors.idle < TOLD)
                errors.missed[errors.idle] = errors.scopes[errors.depth].code;
            errors.idle++;
        }
        cushim__expectations_watch();
    }
    cushim__lock_release(&layer->lock);
    return is_open ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
