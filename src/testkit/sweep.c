/* SPDX-License-Identifier: Apache-2.0 */
/* The sweep itself: its options, and a run for each call that fails. */
#include "src/testkit/sweep.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/options.h"

enum { LIMIT = 100000 };

/* A sweep under way. */
struct progress {
    struct cushim__sweep sweep;
    struct cushim_sweep_result result;
    struct cushim__sweep_text text;
    struct cushim__sweep_run run;
};

static bool have_read(struct cushim_sweep_options *known, const struct cushim_sweep_options *given)
{
    if (!cushim__options_read(known, sizeof *known, given))
        return false;
    if (known->kinds == 0)
        known->kinds = CUSHIM_SWEEP_BOTH;
    if (known->first == 0)
        known->first = 1;
    if (known->last == 0)
        known->last = UINT64_MAX;
    if (known->limit == 0)
        known->limit = LIMIT;
    return true;
}

/*
 * Where to write why options are refused that cannot be understood: as far as they are understood,
 * they have room for a message.
 */
static void borrow_message(struct cushim_sweep_options *known,
                           const struct cushim_sweep_options *given)
{
    const size_t wanted =
        offsetof(struct cushim_sweep_options, message_size) + sizeof given->message_size;

    if (!given || given->size < wanted || given->size > CUSHIM__LARGEST_OPTIONS)
        return;
    known->message = given->message;
    known->message_size = given->message_size;
}

/* Why these options are refused; NULL: they are not. */
static const char *objection(const struct cushim_sweep_options *options)
{
    if (options->kinds & ~(unsigned)CUSHIM_SWEEP_BOTH)
        return "kinds is none of enum cushim_sweep_kind";
    if (options->first > options->last)
        return "first is behind last";
    if (options->limit > UINT64_MAX / 4)
        return "limit is too large";
    if (!options->codes != (options->code_count == 0))
        return "codes and code_count do not go together";
    for (size_t i = 0; i < options->code_count; i++) {
        if (options->codes[i] == CUDA_SUCCESS)
            return "codes has CUDA_SUCCESS in it, which is no failure";
    }
    if (options->table && (options->settings || options->file || options->variants))
        return "table goes without a mock, and so without settings";
    if (!cushim__sweep_means_any(options->functions, false))
        return "functions is like the name of no function of the driver";
    if (!cushim__sweep_means_any(options->functions, !options->fail_releases))
        return "functions is like those alone that give something back, which fail with "
               "fail_releases, or if they are named without a star";
    return NULL;
}

/* One run. False: the sweep ends. */
static bool run_once(struct progress *progress, CUresult *code)
{
    *code = cushim__sweep_run(&progress->sweep, &progress->run);
    if (*code != CUDA_SUCCESS) {
        cushim__sweep_text_add(&progress->text, progress->run.findings);
        return false;
    }
    progress->result.runs++;
    if (progress->run.outcome.function)
        progress->result.swept++;
    if (progress->run.findings[0]) {
        progress->result.failures++;
        cushim__sweep_text_add_run(&progress->text, &progress->run);
    }
    return true;
}

/* With each call failing in one way, until the body makes no such call. */
static CUresult sweep_calls(struct progress *progress)
{
    const struct cushim_sweep_options *options = &progress->sweep.options;
    CUresult code = CUDA_SUCCESS;

    for (uint64_t nth = options->first; nth <= options->last; nth++) {
        progress->run.order.nth = nth;
        if (!run_once(progress, &code) || progress->run.outcome.matched < nth)
            break;
    }
    return code;
}

/* Under one text of settings: untouched, and then in all ways. */
static CUresult sweep_settings(struct progress *progress, const char *settings)
{
    static const enum cushim_sweep_kind kinds[] = {CUSHIM_SWEEP_ONCE, CUSHIM_SWEEP_FROM_THEN_ON};
    const struct cushim_sweep_options *options = &progress->sweep.options;
    const uint64_t failures = progress->result.failures;
    const size_t codes = options->codes ? options->code_count : 1;
    CUresult code;

    progress->run.order = (struct cushim__sweep_order){.settings = settings,
                                                       .on_failure = options->on_failure,
                                                       .data = progress->sweep.data,
                                                       .functions = options->functions,
                                                       .fails_releases = options->fail_releases,
                                                       .limit = options->limit,
                                                       .kind = CUSHIM_SWEEP_ONCE};
    if (!run_once(progress, &code) || progress->result.failures > failures)
        return code; /* a body that is wrong by itself says nothing of what fails */
    if (progress->run.outcome.matched > progress->result.calls)
        progress->result.calls = progress->run.outcome.matched;
    for (size_t i = 0; i < codes * 2 && code == CUDA_SUCCESS; i++) {
        if (!(options->kinds & kinds[i % 2]))
            continue;
        progress->run.order.kind = kinds[i % 2];
        progress->run.order.code = options->codes ? options->codes[i / 2] : CUDA_SUCCESS;
        code = sweep_calls(progress);
    }
    return code;
}

/* With a variant of the settings behind them. */
static CUresult sweep_variant(struct progress *progress, const char *variant)
{
    const char *settings = progress->sweep.options.settings;
    const size_t size = (settings ? strlen(settings) : 0) + strlen(variant) + 2;
    char *text = malloc(size);
    CUresult code;

    if (!text)
        return CUDA_ERROR_OUT_OF_MEMORY;
    snprintf(text, size, "%s%s%s", settings ? settings : "", settings ? "\n" : "", variant);
    code = sweep_settings(progress, text);
    free(text);
    return code;
}

static CUresult sweep_all(struct progress *progress)
{
    const struct cushim_sweep_options *options = &progress->sweep.options;
    CUresult code = CUDA_SUCCESS;

    if (!options->variants)
        code = sweep_settings(progress, options->settings);
    for (size_t i = 0; options->variants && options->variants[i] && code == CUDA_SUCCESS; i++)
        code = sweep_variant(progress, options->variants[i]);
    if (code == CUDA_SUCCESS && progress->result.swept == 0 && progress->result.failures == 0) {
        progress->result.failures++;
        cushim__sweep_text_add(&progress->text, "no call of the body failed: it makes none that "
                                                "is meant, or fewer than `first`");
    }
    if (code == CUDA_SUCCESS && progress->result.failures > 0)
        code = CUDA_ERROR_ILLEGAL_STATE;
    return code;
}

CUresult cushim_sweep_run(const struct cushim_sweep_options *options, int (*body)(void *data),
                          void *data, struct cushim_sweep_result *result)
{
    struct progress progress = {.sweep = {.options = {.size = sizeof(struct cushim_sweep_options)},
                                          .body = body,
                                          .data = data},
                                .result = {.size = sizeof(struct cushim_sweep_result)}};
    struct cushim_sweep_options *known = &progress.sweep.options;
    const bool is_read = have_read(known, options);
    const char *why = NULL;
    CUresult code;

    if (!is_read)
        borrow_message(known, options);
    cushim__sweep_text_begin(&progress.text, known->message, known->message_size);
    if (!is_read)
        why = "options has a size that is none of struct cushim_sweep_options, or fields that "
              "this library does not know";
    else if (!body)
        why = "body is NULL";
    else if (result && result->size < sizeof *result)
        why = "result has a size that is too small: set it to sizeof(struct cushim_sweep_result)";
    else
        why = objection(known);
    if (why) {
        cushim__sweep_text_add(&progress.text, why);
        return CUDA_ERROR_INVALID_VALUE;
    }
    code = sweep_all(&progress);
    cushim__sweep_text_end(&progress.text);
    if (result) {
        progress.result.size = result->size;
        *result = progress.result;
    }
    return code;
}
