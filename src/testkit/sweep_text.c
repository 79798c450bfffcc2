/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a sweep: a line for each run in which something was wrong, and the run under way. */
#include "src/testkit/sweep.h"

#include <stdio.h>
#include <string.h>

#include "src/driver_api/result.h"

/* One from where a run begins, one from where a call fails: who reads one sees it whole. */
static char begun[600], failed[600];
static const char *running;

/* Settings on one line: `schedule = random, seed = 7`. */
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

/* `call 17 of thread 1 (cuMemAlloc_v2) answered CUDA_ERROR_OUT_OF_MEMORY, once`. */
static void add_name(struct cushim__text *text, const struct cushim__sweep_order *order,
                     const struct cushim__sweep_outcome *outcome)
{
    if (order->nth == 0) {
        cushim__text_add(text, "with no call failing");
        return;
    }
    cushim__text_format(text, "call %llu of thread %u (%s) answered ",
                        (unsigned long long)outcome->call, outcome->thread,
                        outcome->function ? outcome->function : "none");
    cushim__result_add(text, outcome->code);
    cushim__text_add(text,
                     order->kind == CUSHIM_SWEEP_ONCE ? ", once" : ", as did all from then on");
}

/* `; mock: schedule = lazy; this run alone: first = last = 17, kinds = CUSHIM_SWEEP_ONCE`. */
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

/* Room for these is kept behind the lines, and in each line of a run. */
#define MORE "and %llu more\n"
#define ALIKE "; and in %llu other run%s"
enum { MORE_SIZE = 32, ALIKE_SIZE = 48 };

void cushim__sweep_text_begin(struct cushim__sweep_text *text, char *buffer, size_t size)
{
    *text = (struct cushim__sweep_text){.buffer = buffer, .size = buffer ? size : 0};
    if (text->size > 0)
        buffer[0] = '\0';
}

void cushim__sweep_text_add(struct cushim__sweep_text *text, const char *line)
{
    const size_t room = text->size - text->used;
    const size_t wanted = MORE_SIZE + text->reserved;
    const size_t kept = text->size > wanted ? wanted : 0;

    if (text->left_out > 0 || (text->used > 0 && strlen(line) + 2 + wanted > room)) {
        text->left_out++;
        snprintf(text->buffer + text->used, room, MORE, (unsigned long long)text->left_out);
    } else if (room > 0) {
        snprintf(text->buffer + text->used, room > kept ? room - kept : room, "%s\n", line);
        text->used += strlen(text->buffer + text->used);
    }
}

/* If there is room. */
static void insert(struct cushim__sweep_text *text, size_t at, const char *words)
{
    const size_t length = strlen(words), whole = strlen(text->buffer) + 1;

    if (whole + length > text->size)
        return;
    memmove(text->buffer + at + length, text->buffer + at, whole - at);
    memcpy(text->buffer + at, words, length);
}

void cushim__sweep_text_end(struct cushim__sweep_text *text)
{
    char alike[ALIKE_SIZE];

    for (unsigned i = text->line_count; i-- > 0;) {
        if (text->lines[i].more == 0)
            continue;
        snprintf(alike, sizeof alike, ALIKE, (unsigned long long)text->lines[i].more,
                 text->lines[i].more == 1 ? "" : "s");
        insert(text, text->lines[i].end, alike);
    }
}

/*
 * What was wrong in a run, as a number: that of each letter, without numbers of calls and handles,
 * which differ from run to run; offsets in a file, which say where, are in it. What the body says
 * has no call site but that of the call that failed.
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

/* Whether it is in the line of another run. */
static bool is_like_another(struct cushim__sweep_text *text, uint64_t what)
{
    for (unsigned i = 0; i < text->line_count; i++) {
        if (text->lines[i].what == what) {
            text->lines[i].more++;
            return true;
        }
    }
    return false;
}

/* The line of a run, which others may join; if there is room for what that adds. */
static void add_line(struct cushim__sweep_text *text, const char *line, uint64_t what)
{
    const size_t used = text->used;

    text->reserved += ALIKE_SIZE;
    cushim__sweep_text_add(text, line);
    if (text->used == used || text->line_count == CUSHIM__SWEEP_LINES) {
        text->reserved -= ALIKE_SIZE;
        return;
    }
    text->lines[text->line_count].what = what;
    text->lines[text->line_count].end = text->used - (text->buffer[text->used - 1] == '\n');
    text->line_count++;
}

void cushim__sweep_text_add_run(struct cushim__sweep_text *text,
                                const struct cushim__sweep_run *run)
{
    const uint64_t what = number_of(run);
    char buffer[LINE];
    struct cushim__text line;

    if (is_like_another(text, what))
        return;
    cushim__text_begin(&line, buffer, sizeof buffer);
    add_name(&line, &run->order, &run->outcome);
    cushim__text_format(&line, ": %s", run->findings);
    add_reproduction(&line, &run->order);
    add_line(text, buffer, what);
}
