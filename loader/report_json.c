/* SPDX-License-Identifier: Apache-2.0 */
/* The report for programs: one JSON object, two spaces deep, with its members in a fixed order. */
#include <cushim/error.h>

#include "loader/library.h"
#include "loader/report.h"
#include "loader/symbols.h"
#include "src/base/text.h"

static void add_key(struct cushim__text *text, const char *indent, const char *key)
{
    cushim__text_format(text, ",\n%s\"%s\": ", indent, key);
}

static void add_string(struct cushim__text *text, const char *indent, const char *key,
                       const char *value)
{
    add_key(text, indent, key);
    cushim__text_json(text, value);
}

static void add_number(struct cushim__text *text, const char *indent, const char *key, long value)
{
    add_key(text, indent, key);
    cushim__text_format(text, "%ld", value);
}

static void add_flag(struct cushim__text *text, const char *key, bool value)
{
    add_key(text, "  ", key);
    cushim__text_add(text, value ? "true" : "false");
}

static void add_code(struct cushim__text *text, const char *indent, CUresult code)
{
    add_number(text, indent, "code", code);
    add_string(text, indent, "code_name", cushim_error_name(code));
}

static void add_tally_object(struct cushim__text *text, const char *key,
                             const struct cushim_symbol_tally *tally)
{
    add_key(text, "  ", key);
    cushim__text_format(text,
                        "{\"total\": %u, \"found\": %u, \"by_proc_address\": %u, "
                        "\"fallen_back\": %u, \"missing\": %u}",
                        tally->total, tally->found, tally->by_proc_address, tally->fallen_back,
                        tally->missing);
}

/* Add the symbols in a state: an array, or an object with the fallback of each. UNKNOWN: missed. */
static void add_symbols(struct cushim__text *text, const char *key, enum cushim_symbol_state state)
{
    const bool is_object = state == CUSHIM_SYMBOL_FALLEN_BACK;
    bool any = false;

    add_key(text, "  ", key);
    cushim__text_add(text, is_object ? "{" : "[");
    for (size_t i = 0; i < cushim_symbol_count(); i++) {
        if (state ? cushim__symbol_state(i) != state : !cushim__symbol_missed(i))
            continue;
        cushim__text_format(text, "%s\n    \"%s\"", any ? "," : "", cushim__symbol_name(i));
        if (is_object)
            cushim__text_format(text, ": \"%s\"", cushim__symbol_fallback(i));
        any = true;
    }
    cushim__text_format(text, "%s%s", any ? "\n  " : "", is_object ? "}" : "]");
}

/* The code of cuDriverGetVersion, if it was called. */
static void add_version_code(struct cushim__text *text, const struct cushim__candidate *candidate)
{
    if (candidate->code != CUDA_SUCCESS || candidate->version)
        add_code(text, "      ", candidate->code);
    else
        cushim__text_add(text, ",\n      \"code\": null,\n      \"code_name\": null");
}

static void add_candidate_array(struct cushim__text *text, const struct cushim_report *report)
{
    add_key(text, "  ", "candidates");
    cushim__text_add(text, "[");
    for (unsigned i = 0; i < report->candidate_count; i++) {
        const struct cushim__candidate *candidate = &report->candidates[i];
        cushim__text_format(text, "%s\n    {\n      \"origin\": \"%s\"", i ? "," : "",
                            cushim__origin_name(candidate->origin));
        add_string(text, "      ", "path", candidate->path);
        add_string(text, "      ", "outcome", cushim__outcome_name(candidate->outcome));
        add_string(text, "      ", "message", candidate->message);
        add_version_code(text, candidate);
        add_number(text, "      ", "driver_version", candidate->version);
        cushim__text_add(text, "\n    }");
    }
    cushim__text_add(text, report->candidate_count ? "\n  ]" : "]");
}

void cushim__report_write_json(const struct cushim_report *report, struct cushim__text *text)
{
    char other[CUSHIM_REPORT_PATH_BYTES] = "";

    if (report->driver_version)
        cushim__other_driver(report->library, other, sizeof other);
    cushim__text_format(text, "{\n  \"state\": \"%s\"", cushim_state_name(report->state));
    add_code(text, "  ", report->code);
    add_string(text, "  ", "reason", report->reason);
    add_string(text, "  ", "advice", report->advice);
    add_string(text, "  ", "library", report->library);
    add_string(text, "  ", "other", other);
    add_number(text, "  ", "driver_version", report->driver_version);
    add_number(text, "  ", "minimum_version", report->minimum_version);
    add_flag(text, "installed", report->installed);
    add_flag(text, "table_writable", report->table_writable);
    add_flag(text, "library_ignored", report->library_ignored);
    add_number(text, "  ", "init_process", report->init_process);
    add_tally_object(text, "symbols", &report->symbols.core);
    add_tally_object(text, "interop", &report->symbols.interop);
    add_symbols(text, "fallbacks", CUSHIM_SYMBOL_FALLEN_BACK);
    add_symbols(text, "by_proc_address", CUSHIM_SYMBOL_FOUND_BY_PROC_ADDRESS);
    add_symbols(text, "missing", CUSHIM_SYMBOL_MISSING);
    add_symbols(text, "missed", CUSHIM_SYMBOL_UNKNOWN);
    add_candidate_array(text, report);
    cushim__text_add(text, "\n}\n");
}

size_t cushim__report_json(const struct cushim_report *report, char *buffer, size_t size)
{
    struct cushim__text text;

    cushim__text_begin(&text, buffer, size);
    cushim__report_write_json(report, &text);
    return text.length;
}

size_t cushim_report_write_json(char *buffer, size_t size)
{
    struct cushim_report report;

    cushim__report_get(&report);
    return cushim__report_json(&report, buffer, size);
}
