/* SPDX-License-Identifier: Apache-2.0 */
/* The report for people. */
#include <cushim/error.h>

#include "loader/library.h"
#include "loader/report.h"
#include "loader/symbols.h"
#include "src/base/text.h"

/* Further names are only counted, since an old driver lacks hundreds. */
enum { NAMES_SHOWN = 12 };

/* Add a line whose value contains paths, which may contain any bytes. */
static void add_line(struct cushim__text *text, const char *label, const char *value)
{
    cushim__text_format(text, "%-11s ", label);
    cushim__text_plain(text, value);
    cushim__text_add(text, "\n");
}

static void add_tally(struct cushim__text *text, const char *label,
                      const struct cushim_symbol_tally *tally)
{
    cushim__text_format(text, "%-11s %u of %u found", label, tally->found, tally->total);
    if (tally->by_proc_address)
        cushim__text_format(text, " (%u by cuGetProcAddress only)", tally->by_proc_address);
    if (tally->fallen_back)
        cushim__text_format(text, ", %u fallen back", tally->fallen_back);
    if (tally->missing)
        cushim__text_format(text, ", %u missing", tally->missing);
    cushim__text_add(text, "\n");
}

static void add_fallbacks(struct cushim__text *text)
{
    for (size_t i = 0; i < cushim_symbol_count(); i++) {
        if (cushim__symbol_state(i) == CUSHIM_SYMBOL_FALLEN_BACK)
            cushim__text_format(text, "%-11s %s -> %s\n", "fallback", cushim__symbol_name(i),
                                cushim__symbol_fallback(i));
    }
}

/* Name the missing symbols, and say how many of them the driver cannot have. */
static void add_missing(struct cushim__text *text, int version)
{
    unsigned shown = 0, hidden = 0, newer = 0;

    for (size_t i = 0; i < cushim_symbol_count(); i++) {
        if (cushim__symbol_state(i) != CUSHIM_SYMBOL_MISSING)
            continue;
        newer += cushim__symbol_since(i) > version;
        if (shown == NAMES_SHOWN)
            hidden++;
        else
            cushim__text_format(text, shown++ ? ", %s" : "missing     %s", cushim__symbol_name(i));
    }
    if (hidden)
        cushim__text_format(text, " and %u more", hidden);
    if (newer)
        cushim__text_format(text, ": %u newer than this driver", newer);
    if (shown)
        cushim__text_add(text, "\n");
}

static void add_missed(struct cushim__text *text)
{
    for (size_t i = 0; i < cushim_symbol_count(); i++) {
        const int since = cushim__symbol_since(i);

        if (cushim__symbol_missed(i))
            cushim__text_format(text, "%-11s %s, which this driver lacks (since CUDA %d.%d)\n",
                                "missed", cushim__symbol_name(i), since / 1000, since % 1000 / 10);
    }
}

static void add_candidates(struct cushim__text *text, const struct cushim_report *report)
{
    for (unsigned i = 0; i < report->candidate_count; i++) {
        const struct cushim__candidate *candidate = &report->candidates[i];
        cushim__text_format(text, "%-11s ", "tried");
        cushim__text_plain(text, candidate->path);
        cushim__text_format(text, "%s%s: %s%s", candidate->path[0] ? " by " : "by ",
                            cushim__origin_name(candidate->origin),
                            cushim__outcome_name(candidate->outcome),
                            candidate->message[0] ? ": " : "");
        cushim__text_plain(text, candidate->message);
        cushim__text_add(text, "\n");
    }
}

void cushim__report_write_text(const struct cushim_report *report, struct cushim__text *text)
{
    char other[CUSHIM_REPORT_PATH_BYTES];

    cushim__text_format(text, "%-11s %s\n", "state", cushim_state_name(report->state));
    add_line(text, "reason", report->reason);
    if (report->advice[0])
        add_line(text, "advice", report->advice);
    if (report->code != CUDA_SUCCESS)
        cushim__text_format(text, "%-11s %d %s\n", "code", (int)report->code,
                            cushim_error_name(report->code));
    if (report->driver_version) {
        cushim__text_format(text, "%-11s CUDA %d.%d\n", "driver", report->driver_version / 1000,
                            report->driver_version % 1000 / 10);
        add_line(text, "library", report->library);
        cushim__other_driver(report->library, other, sizeof other);
        if (other[0]) {
            cushim__text_format(text, "%-11s ", "other");
            cushim__text_plain(text, other);
            cushim__text_add(text, ": a second driver, which is in this process too\n");
        }
        add_tally(text, "symbols", &report->symbols.core);
        add_tally(text, "interop", &report->symbols.interop);
        add_fallbacks(text);
        add_missing(text, report->driver_version);
        add_missed(text);
    }
    if (report->installed)
        cushim__text_format(text, "%-11s %s\n", "installed",
                            "the program has installed a table of its own");
    if (report->library_ignored)
        cushim__text_format(text, "%-11s %s\n", "ignored",
                            "CUSHIM_LIBRARY, since this process has more rights than its user");
    if (report->table_writable)
        cushim__text_format(text, "%-11s %s\n", "writable",
                            "the system refused to make the table of functions read-only");
    add_candidates(text, report);
}

size_t cushim__report_text(const struct cushim_report *report, char *buffer, size_t size)
{
    struct cushim__text text;

    cushim__text_begin(&text, buffer, size);
    cushim__report_write_text(report, &text);
    return text.length;
}

size_t cushim_report_write_text(char *buffer, size_t size)
{
    struct cushim_report report;

    cushim__report_get(&report);
    return cushim__report_text(&report, buffer, size);
}
