/* SPDX-License-Identifier: Apache-2.0 */
#include "src/check/finding.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/system.h"
#include "src/driver_api/function_name.h"

/* Beyond so many findings, not counting suppressed ones, no more are kept. */
enum { MOST = 1000, TEXT_SIZE = 4096 };

static struct cushim__finding *first, *last;
static unsigned findings;
static bool are_new; /* some are not printed, or the report does not exist yet */
static bool has_more, has_said_more;

static struct cushim__finding *find(enum cushim__check_id id, const struct cushim__maker *misuse)
{
    const struct cushim__call_site *site = &misuse->place.site;
    struct cushim__finding *finding = first;

    while (finding && (finding->id != id || finding->misuse.slot != misuse->slot ||
                       memcmp(&finding->misuse.place.site, site, sizeof *site) != 0))
        finding = finding->next;
    return finding;
}

/* What this thread has found last, and in which call of which layer. */
static _Thread_local struct {
    uint64_t layer, call;
    const struct cushim__finding *finding;
} latest;

const struct cushim__finding *cushim__finding_of_call(uint64_t call)
{
    return call > 0 && latest.call == call && latest.layer == cushim__layer->serial ? latest.finding
                                                                                    : NULL;
}

/* The finding as it is kept, with its count; NULL if it is new and there are too many. */
static struct cushim__finding *keep(const struct cushim__finding *found)
{
    struct cushim__finding *finding = find(found->id, &found->misuse);

    if (finding) {
        __atomic_fetch_add(&finding->count, 1, __ATOMIC_RELAXED);
        return finding;
    }
    if (__atomic_load_n(&findings, __ATOMIC_RELAXED) == MOST) {
        if (!__atomic_exchange_n(&has_more, true, __ATOMIC_ACQ_REL))
            __atomic_store_n(&are_new, true, __ATOMIC_RELEASE);
        return NULL;
    }
    finding = malloc(sizeof *finding);
    if (!finding)
        return NULL;
    *finding = *found;
    finding->count = 1;
    *(last ? &last->next : &first) = finding;
    last = finding;
    __atomic_fetch_add(&findings, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&are_new, true, __ATOMIC_RELEASE);
    return finding;
}

void cushim__finding_keep(const struct cushim__finding *found, const struct cushim__call *call)
{
    struct cushim__finding *finding = keep(found);
    struct cushim__text text;

    if (!call)
        return;
    latest.layer = cushim__layer->serial;
    latest.call = call->number;
    latest.finding = finding;
    if (!finding || finding->count > 1)
        return;
    cushim__text_begin(&text, finding->call, sizeof finding->call);
    cushim__arguments_print(&text, call->slot, &call->arguments);
}

void cushim__finding_set_object(struct cushim__finding *finding,
                                const struct cushim__handle *object)
{
    finding->made = object->maker;
    memcpy(finding->object, cushim__check_name(object, object->value).text, sizeof finding->object);
}

void cushim__finding_add(const struct cushim__call *call, enum cushim__check_id id,
                         const struct cushim__handle *object, const struct cushim__maker *earlier,
                         const char *format, va_list list)
{
    struct cushim__finding finding = {.id = id};

    if (call)
        cushim__tracker_note(call, &finding.misuse);
    else if (object)
        finding.misuse = object->device >= 0 ? object->retainer : object->maker;
    if (earlier)
        finding.earlier = *earlier;
    if (object) {
        cushim__finding_set_object(&finding, object);
        if (!call)
            finding.made = finding.misuse;
        /* Of several references to a primary context, one may have been released. */
        if ((!object->is_live || object->is_ending) &&
            !(call && object->ender.place.call == call->number))
            finding.ended = object->ender;
    }
    vsnprintf(finding.what, sizeof finding.what, format, list);
    cushim__finding_keep(&finding, call);
}

/* --- suppressions --- */

static bool has_frame(const struct cushim__call_site *site, const char *pattern)
{
    struct cushim__code_file file;

    if (strcmp(pattern, "*") == 0)
        return true;
    for (unsigned i = 0; i < CUSHIM__CALL_SITE_DEPTH && site->addresses[i]; i++) {
        cushim__code_file_find(site->addresses[i] - 1, &file);
        if (cushim__pattern_fits(pattern, file.name))
            return true;
    }
    return false;
}

static bool is_suppressed(const struct cushim__finding *finding)
{
    const struct cushim__check_suppression *suppression = cushim__check_options.suppressions;

    for (; suppression; suppression = suppression->next) {
        if (cushim__pattern_fits(suppression->id, cushim__check_rules[finding->id].id) &&
            cushim__name_means(suppression->function, finding->misuse.slot) &&
            has_frame(&finding->misuse.place.site, suppression->frame))
            return true;
    }
    return false;
}

/* --- text --- */

/* Other threads may count a finding again while it is printed. */
static uint64_t count_of(const struct cushim__finding *finding)
{
    return __atomic_load_n(&finding->count, __ATOMIC_RELAXED);
}

/* `made by cuEventCreate, call 5 of thread 1, at program+0x1189`; nothing if not known. */
static void print_maker(struct cushim__text *text, const char *begin, const char *what,
                        const struct cushim__maker *maker)
{
    if (maker->place.call == 0)
        return;
    cushim__text_format(text, "%s%s %s, ", begin, what, cushim__slot_name(maker->slot));
    cushim__call_place_print(text, &maker->place);
}

static const char *reference_of(const struct cushim__check_rule *rule)
{
    if (rule->statements[0] < '0' || rule->statements[0] > '9')
        return "CUDA reference,";
    return strchr(rule->statements, ',') ? "driver-semantics.md, statements"
                                         : "driver-semantics.md, statement";
}

void cushim__finding_print(struct cushim__text *text, const struct cushim__finding *finding,
                           bool has_lines)
{
    const struct cushim__check_rule *rule = &cushim__check_rules[finding->id];
    const char *begin = has_lines ? "\n  " : "; ", *colon = has_lines ? "" : ":";
    const uint64_t count = count_of(finding);
    char object[CUSHIM_RECORDING_TAG_SIZE + 16] = "; ";

    if (has_lines) {
        snprintf(object, sizeof object, "\n  %s was ", finding->object);
        cushim__text_format(text, "cushim: %s: %s: ", cushim__check_levels[rule->level], rule->id);
    } else {
        cushim__text_format(text, "%s: ", cushim__check_levels[rule->level]);
    }
    cushim__text_add(text, finding->what);
    if (finding->call[0]) {
        cushim__text_format(text, "%sin%s %s, ", begin, has_lines ? "  " : "", finding->call);
        cushim__call_place_print(text, &finding->misuse.place);
    }
    print_maker(text, begin, "the earlier call was", &finding->earlier);
    print_maker(text, object, "made by", &finding->made);
    print_maker(text, object, "ended by", &finding->ended);
    cushim__text_format(text, "%srule%s %s (%s %s)%scure%s %s", begin, colon, rule->why,
                        reference_of(rule), rule->statements, begin, colon, rule->cure);
    if (count > 1)
        cushim__text_format(text, "%s%" PRIu64 " times", begin, count);
    cushim__text_add(text, "\n");
}

/* --- reports --- */

/* The beginning of a line of the report, which the command reads; the text follows. */
static void print_fields(struct cushim__text *text, const char *kind,
                         enum cushim__check_level level, uint64_t count)
{
    cushim__text_format(text, "%s\t%s\t%" PRIu64 "\t", kind, cushim__check_levels[level], count);
}

static void print_report_line(struct cushim__text *text, const struct cushim__finding *finding)
{
    const struct cushim__check_rule *rule = &cushim__check_rules[finding->id];

    print_fields(text, rule->id, rule->level, count_of(finding));
    cushim__finding_print(text, finding, false);
}

#define MORE "more than 1000 findings were made, and what follows them is not reported"

static const char more_printed[] = "cushim: warning: " MORE "\n";
static const char more_line[] = "limit\twarning\t1\twarning: " MORE "\n";

/*
 * Where this program's part of the report begins, because a program that was started by exec() adds
 * to the report of the one before. -1: nothing is written yet.
 */
static long part;

/*
 * Open the report at its end, or, if `again`, at the beginning of this program's part, to write the
 * part anew. A part begins with a line that has the program's name. Returns NULL if it cannot.
 */
static FILE *open_report(bool again)
{
    char path[4096], name[256];
    long none = -1;
    FILE *file;

    if (!cushim__check_options.report)
        return NULL;
    snprintf(path, sizeof path, "%s.%" PRIu32, cushim__check_options.report,
             cushim__system_process_id());
    again = again && part >= 0;
    file = fopen(path, again ? "r+" : "a");
    if (!file)
        return NULL;
    fseek(file, again ? part : 0, again ? SEEK_SET : SEEK_END);
    if (__atomic_compare_exchange_n(&part, &none, ftell(file), false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE) ||
        again) {
        cushim__system_program_name(name, sizeof name);
        name[strcspn(name, "\n")] = '\0';
        fprintf(file, "program\t%s\n", name);
    }
    return file;
}

/*
 * The first line, an empty one, creates the file, so the command knows that this process was
 * checked.
 */
static void write_line(const char *line)
{
    static bool is_said;
    char text[400];
    FILE *file = open_report(false);
    bool is_written = file && fputs(line, file) >= 0;

    if (file && fclose(file) != 0)
        is_written = false;
    if (is_written || !cushim__check_options.report ||
        __atomic_exchange_n(&is_said, true, __ATOMIC_RELAXED))
        return;
    snprintf(text, sizeof text,
             "cushim: warning: the findings of process %" PRIu32
             " are only printed: %.200s.* cannot be written: %s\n",
             cushim__system_process_id(), cushim__check_options.report, strerror(errno));
    if (cushim__check_options.print)
        cushim__check_options.print(text);
}

/* Each finding is printed by one thread. NULL if none is left. */
static struct cushim__finding *take_unprinted(void)
{
    struct cushim_layer *layer = cushim_layer_current();
    struct cushim__finding *finding;

    cushim__lock_take(&layer->lock);
    finding = first;
    while (finding && finding->is_printed)
        finding = finding->next;
    if (finding)
        finding->is_printed = true;
    cushim__lock_release(&layer->lock);
    return finding;
}

static void print_finding(struct cushim__finding *finding)
{
    char buffer[TEXT_SIZE];
    struct cushim__text text;

    finding->is_suppressed = is_suppressed(finding);
    if (finding->is_suppressed) {
        __atomic_fetch_sub(&findings, 1, __ATOMIC_RELAXED);
        return;
    }
    if (cushim__check_options.print) {
        cushim__text_begin(&text, buffer, sizeof buffer);
        cushim__finding_print(&text, finding, true);
        cushim__check_options.print(buffer);
    }
    cushim__text_begin(&text, buffer, sizeof buffer);
    print_report_line(&text, finding);
    write_line(buffer);
}

void cushim__findings_print(void)
{
    struct cushim__finding *finding;

    /* Each call comes here, and usually ends after this load. */
    if (!__atomic_load_n(&are_new, __ATOMIC_ACQUIRE) ||
        !__atomic_exchange_n(&are_new, false, __ATOMIC_ACQ_REL))
        return;
    write_line("");
    while ((finding = take_unprinted()) != NULL)
        print_finding(finding);
    if (__atomic_load_n(&has_more, __ATOMIC_ACQUIRE) &&
        !__atomic_exchange_n(&has_said_more, true, __ATOMIC_ACQ_REL)) {
        if (cushim__check_options.print)
            cushim__check_options.print(more_printed);
        write_line(more_line);
    }
}

void cushim__findings_finish(void)
{
    const struct cushim__finding *finding = NULL;
    FILE *file = first ? open_report(true) : NULL; /* counts make lines longer, never shorter */
    char line[TEXT_SIZE];
    struct cushim__text text;

    if (!file)
        return;
    while ((finding = cushim__finding_next(finding)) != NULL) {
        cushim__text_begin(&text, line, sizeof line);
        print_report_line(&text, finding);
        fputs(line, file);
    }
    if (has_said_more)
        fputs(more_line, file);
    fclose(file);
}

void cushim__findings_write_refusal(const char *report, const char *why)
{
    char line[TEXT_SIZE];
    struct cushim__text text;

    cushim__text_begin(&text, line, sizeof line);
    print_fields(&text, "unchecked", CUSHIM__CHECK_WARNING, 1);
    cushim__text_add(&text, "warning: nothing is checked: ");
    cushim__text_plain(&text, why);
    cushim__text_add(&text, "\n");
    cushim__check_options.report = report;
    write_line(line);
    cushim__check_options.report = NULL;
}

const struct cushim__finding *cushim__finding_next(const struct cushim__finding *previous)
{
    const struct cushim__finding *finding = previous ? previous->next : first;

    while (finding && finding->is_suppressed)
        finding = finding->next;
    return finding;
}

void cushim__findings_clear(void)
{
    while (first) {
        struct cushim__finding *next = first->next;

        free(first);
        first = next;
    }
    last = NULL;
    latest.call = 0;
    findings = 0;
    has_more = has_said_more = false;
    part = -1;
    are_new = true; /* the next call creates the report */
}
