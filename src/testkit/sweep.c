/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sweep itself: its options, a run for each call that fails, the text with a line for each run
 * in which something was wrong, and the run under way.
 */
#include "src/testkit/sweep.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/options.h"
#include "src/driver_api/result.h"

/* One text from the begin of a run, one from a failing call, so that readers see it whole. */
static char begun[600], failed[600];
static const char *running;

/* Print settings on one line: `schedule = random, seed = 7`. */
static void add_settings(struct cushim__text *text, const char *settings)
{
    const char *between = "; mock: ";

    while (settings && *settings) {
        const size_t length = strcspn(settings, "\n");

        if (length > 0)
            cushim__text_format(text, "%s%.*s", between, length < 100 ? (int)length : 100,
                                settings);
        if (length > 0)
            between = ", ";
        settings += length;
        settings += strspn(settings, "\n");
    }
}

/* Print `call 17 of thread 1 (cuMemAlloc_v2) answered CUDA_ERROR_OUT_OF_MEMORY, once`. */
static void add_name(struct cushim__text *text, const struct cushim__sweep_order *order,
                     const struct cushim__sweep_outcome *outcome)
{
    if (order->nth == 0) {
        cushim__text_add(text, "with no call failing");
        if (outcome->error.function) {
            cushim__text_format(text, ", but call %llu of thread %u (%s) answered ",
                                (unsigned long long)outcome->error.call, outcome->error.thread,
                                outcome->error.function);
            cushim__result_add(text, outcome->error.code);
        }
        return;
    }
    cushim__text_format(text, "call %llu of thread %u (%s) answered ",
                        (unsigned long long)outcome->call, outcome->thread,
                        outcome->function ? outcome->function : "none");
    cushim__result_add(text, outcome->code);
    cushim__text_add(text,
                     order->kind == CUSHIM_SWEEP_ONCE ? ", once" : ", as did all from then on");
}

/* Print `; mock: schedule = lazy; this run alone: first = last = 17, kinds = CUSHIM_SWEEP_ONCE`. */
static void add_reproduction(struct cushim__text *text, const struct cushim__sweep_order *order)
{
    add_settings(text, order->settings);
    if (order->nth > 0)
        cushim__text_format(text, "; this run alone: first = last = %llu, kinds = %s",
                            (unsigned long long)order->nth,
                            order->kind == CUSHIM_SWEEP_ONCE ? "CUSHIM_SWEEP_ONCE"
                                                             : "CUSHIM_SWEEP_FROM_THEN_ON");
}

void cushim__sweep_progress_begin(const struct cushim__sweep_order *order)
{
    struct cushim__text text;

    cushim__text_begin(&text, begun, sizeof begun);
    if (order->nth == 0)
        cushim__text_add(&text, "with no call failing");
    else
        cushim__text_add(&text, "before the call that is to fail");
    add_reproduction(&text, order);
    __atomic_store_n(&running, begun, __ATOMIC_RELEASE);
}

void cushim__sweep_progress_fails(const struct cushim__sweep_order *order,
                                  const struct cushim__sweep_outcome *outcome)
{
    struct cushim__text text;

    cushim__text_begin(&text, failed, sizeof failed);
    add_name(&text, order, outcome);
    add_reproduction(&text, order);
    __atomic_store_n(&running, failed, __ATOMIC_RELEASE);
}

void cushim__sweep_progress_end(void)
{
    __atomic_store_n(&running, NULL, __ATOMIC_RELEASE);
}

const char *cushim_sweep_running(void)
{
    return __atomic_load_n(&running, __ATOMIC_ACQUIRE);
}

enum { LINE = CUSHIM__SWEEP_FINDINGS + 600 };

/* A line of the text at the end. Runs with the same findings in the same place share a line. */
struct line {
    struct line *next;
    uint64_t what; /* a hash of what was wrong */
    uint64_t more; /* number of other runs that share the line */
    char text[];
};

struct lines {
    struct line *first, *last;
    uint64_t lost; /* lines for which memory ran out */
};

static void add_line(struct lines *lines, const char *text, uint64_t what)
{
    const size_t size = strlen(text) + 1;
    struct line *line = calloc(1, sizeof *line + size);

    if (!line) {
        lines->lost++;
        return;
    }
    memcpy(line->text, text, size);
    line->what = what;
    *(lines->last ? &lines->last->next : &lines->first) = line;
    lines->last = line;
}

/* Print as many lines as there is room for, the first cut if need be, and count the others. */
static void print_lines(const struct lines *lines, char *buffer, size_t size)
{
    enum { MORE = 32 }; /* bytes of the line that counts what is left out */
    struct cushim__text text;
    uint64_t left_out = lines->lost;

    cushim__text_begin(&text, buffer, size);
    for (const struct line *line = lines->first; line; line = line->next) {
        char end[48] = "\n";
        size_t kept, room;

        if (line->more > 0)
            snprintf(end, sizeof end, "; and in %llu other run%s\n", (unsigned long long)line->more,
                     line->more == 1 ? "" : "s");
        kept = strlen(end) + MORE;
        room = size > kept && size - kept < LINE ? size - kept : LINE;
        if (left_out > 0 || (text.length > 0 && text.length + strlen(line->text) + kept > size))
            left_out += 1 + line->more;
        else
            cushim__text_format(&text, "%.*s%s", (int)room, line->text, end);
    }
    if (left_out > 0)
        cushim__text_format(&text, "and %llu more\n", (unsigned long long)left_out);
}

static void free_lines(struct lines *lines)
{
    while (lines->first) {
        struct line *next = lines->first->next;

        free(lines->first);
        lines->first = next;
    }
}

/*
 * A hash of what was wrong in a run. It leaves out the numbers of calls and handles, which differ
 * from run to run, but not offsets in a file, which are call sites. What the body reports has no
 * call site of its own, so the number of the call that failed is hashed instead.
 */
static uint64_t number_of(const struct cushim__sweep_run *run)
{
    const bool is_reported = run->outcome.wrong[0] || run->verdict;
    uint64_t number = 14695981039346656037u;
    bool is_offset = false;

    for (const char *at = run->findings; *at; at++) {
        const bool is_digit = *at >= '0' && *at <= '9';

        is_offset = strncmp(at, "+0x", 3) == 0 || (is_offset && strchr("+x0123456789abcdef", *at));
        if (strncmp(at, "0x", 2) == 0 && !is_offset)
            at += 1 + strspn(at + 2, "0123456789abcdef");
        else if (is_offset || !is_digit)
            number = (number ^ (unsigned char)*at) * 1099511628211u;
    }
    return is_reported ? (number ^ run->order.nth) * 1099511628211u : number;
}

/* Add a line for a run, unless it can share that of another. */
static void add_run(struct lines *lines, const struct cushim__sweep_run *run)
{
    const uint64_t what = number_of(run);
    struct line *like = lines->first;
    char buffer[LINE];
    struct cushim__text text;

    while (like && like->what != what)
        like = like->next;
    if (like) {
        like->more++;
        return;
    }
    cushim__text_begin(&text, buffer, sizeof buffer);
    add_name(&text, &run->order, &run->outcome);
    cushim__text_format(&text, ": %s", run->findings);
    add_reproduction(&text, &run->order);
    add_line(lines, buffer, what);
}

enum { LIMIT = 100000 };

/* A sweep that is under way. */
struct progress {
    struct cushim__sweep sweep;
    struct cushim_sweep_result result;
    struct lines lines;
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
 * Find out where to write why options of an unknown size are refused: the members that are known
 * may have room for a message.
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

/* Why these options are refused, or NULL. */
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

/* Do one run. Returns false if the sweep ends. */
static bool run_once(struct progress *progress, CUresult *code)
{
    *code = cushim__sweep_run(&progress->sweep, &progress->run);
    if (*code != CUDA_SUCCESS) {
        add_line(&progress->lines, progress->run.findings, 0);
        return false;
    }
    progress->result.runs++;
    if (progress->run.outcome.function)
        progress->result.swept++;
    if (progress->run.findings[0]) {
        progress->result.failures++;
        add_run(&progress->lines, &progress->run);
    }
    return true;
}

/* Do a run for each call, which fails in one way, until the body makes no more such calls. */
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

/* Sweep under one text of settings: first with no call failing, then in all ways of failing. */
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
        return code; /* if a body is wrong by itself, further runs are of no use */
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

/* Sweep under the settings, followed by a variant. */
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
        add_line(&progress->lines,
                 "no call of the body failed: it makes none that is meant, or fewer than `first`",
                 0);
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
    CUresult code = CUDA_ERROR_INVALID_VALUE;
    const char *why = NULL;

    if (!is_read)
        borrow_message(known, options);
    /* Empty the message, in case a body leaves by longjmp(). */
    print_lines(&progress.lines, known->message, known->message_size);
    if (!is_read)
        why = "options has a size that is none of struct cushim_sweep_options, or fields that "
              "this library does not know";
    else if (!body)
        why = "body is NULL";
    else if (result && result->size < sizeof *result)
        why = "result has a size that is too small: set it to sizeof(struct cushim_sweep_result)";
    else
        why = objection(known);
    if (why)
        add_line(&progress.lines, why, 0);
    else
        code = sweep_all(&progress);
    print_lines(&progress.lines, known->message, known->message_size);
    free_lines(&progress.lines);
    if (result && !why) {
        progress.result.size = result->size;
        *result = progress.result;
    }
    return code;
}
