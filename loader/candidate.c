/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates: the libraries that may be the driver, and the outcome of trying each. */
#include <stdio.h>
#include <string.h>

#include "loader/library.h"
#include "loader/loader.h"
#include "src/base/system.h"
#include "src/base/text.h"

/* The result of the load if no candidate has a higher rank, which means that it got further. */
struct verdict {
    enum cushim_state state;
    CUresult code;
    int rank;
};

/* For each outcome without a row. A file was found, but the system could not open it. */
static const struct verdict not_loadable = {CUSHIM_STATE_NOT_LOADABLE,
                                            CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, 2};

static const struct verdict verdicts[] = {
    [CUSHIM_OUTCOME_NOT_FOUND] = {CUSHIM_STATE_NOT_FOUND, CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, 1},
    [CUSHIM_OUTCOME_NOT_A_DRIVER] = {CUSHIM_STATE_NOT_A_DRIVER,
                                     CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, 3},
    [CUSHIM_OUTCOME_STUB] = {CUSHIM_STATE_STUB, CUDA_ERROR_STUB_LIBRARY, 4},
    /* The driver's own code replaces this one. */
    [CUSHIM_OUTCOME_DRIVER_ERROR] = {CUSHIM_STATE_DRIVER_ERROR, CUDA_ERROR_UNKNOWN, 5},
    [CUSHIM_OUTCOME_TOO_OLD] = {CUSHIM_STATE_TOO_OLD, CUSHIM__REQUIRES_NEWER_DRIVER, 6},
    [CUSHIM_OUTCOME_STATIC_PROGRAM] = {CUSHIM_STATE_NOT_LOADABLE,
                                       CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, 7},
    [CUSHIM_OUTCOME_DISABLED] = {CUSHIM_STATE_DISABLED, CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, 7},
    [CUSHIM_OUTCOME_LOADED] = {CUSHIM_STATE_LOADED, CUDA_SUCCESS, 8},
};

static const struct verdict *verdict_of(const struct cushim__candidate *candidate)
{
    const size_t count = sizeof verdicts / sizeof verdicts[0];

    return candidate->outcome < count && verdicts[candidate->outcome].rank
               ? &verdicts[candidate->outcome]
               : &not_loadable;
}

static struct cushim__candidate *add_candidate(struct cushim_report *report,
                                               enum cushim_origin origin, const char *path)
{
    struct cushim__candidate *candidate = &report->candidates[report->candidate_count++];

    *candidate = (struct cushim__candidate){.origin = origin};
    cushim__text_copy(candidate->path, sizeof candidate->path, path);
    return candidate;
}

bool cushim__reject(struct cushim__candidate *candidate, enum cushim_outcome outcome,
                    const char *message)
{
    candidate->outcome = outcome;
    cushim__text_copy(candidate->message, sizeof candidate->message, message);
    return false;
}

/* Get the path of the file that contains a source's functions. */
static void source_path(const struct cushim__source *source, char *path, size_t size)
{
    if (source->resolver == cushim__library_symbol)
        cushim__library_path(source->data, path, size);
    else
        cushim__function_path(source->init, path, size);
}

/* Record the outcome of an opened library, with its path if it was searched for by name. */
static void set_opened_outcome(struct cushim__candidate *candidate, enum cushim_outcome outcome,
                               const struct cushim__source *source, const char *message)
{
    struct cushim__text text;

    cushim__text_begin(&text, candidate->message, sizeof candidate->message);
    if (candidate->path[0] && !cushim__system_path_is_absolute(candidate->path)) {
        char path[CUSHIM_REPORT_PATH_BYTES];
        source_path(source, path, sizeof path);
        cushim__text_format(&text, "%s%s", path, path[0] ? ": " : "");
    }
    cushim__text_add(&text, message);
    candidate->outcome = outcome;
}

/* Check whether a source is a driver that the options accept. */
static void examine(const struct cushim_load_options *options, struct cushim_report *report,
                    struct cushim__candidate *candidate, struct cushim__source *source)
{
    char message[CUSHIM_REPORT_MESSAGE_BYTES] = "", other[CUSHIM_REPORT_PATH_BYTES];
    const char *lacking = cushim__source_open(source);

    if (lacking) {
        snprintf(message, sizeof message, "it has no symbol %s", lacking);
        set_opened_outcome(candidate, CUSHIM_OUTCOME_NOT_A_DRIVER, source, message);
        return;
    }
    candidate->code = cushim__source_query_version(source);
    candidate->version = source->version;
    if (candidate->code != CUDA_SUCCESS) {
        snprintf(message, sizeof message, "cuDriverGetVersion returned %d", (int)candidate->code);
        set_opened_outcome(candidate,
                           candidate->code == CUDA_ERROR_STUB_LIBRARY ? CUSHIM_OUTCOME_STUB
                                                                      : CUSHIM_OUTCOME_DRIVER_ERROR,
                           source, message);
        return;
    }
    if (candidate->version <= 0) {
        snprintf(message, sizeof message, "cuDriverGetVersion returned the version %d",
                 candidate->version);
        candidate->version = 0;
        candidate->code = CUDA_ERROR_UNKNOWN;
        set_opened_outcome(candidate, CUSHIM_OUTCOME_DRIVER_ERROR, source, message);
        return;
    }
    if (candidate->version < options->minimum_version) {
        snprintf(message, sizeof message,
                 "it is a driver for CUDA %d.%d, older than the %d.%d needed",
                 candidate->version / 1000, candidate->version % 1000 / 10,
                 options->minimum_version / 1000, options->minimum_version % 1000 / 10);
        set_opened_outcome(candidate, CUSHIM_OUTCOME_TOO_OLD, source, message);
        return;
    }
    candidate->outcome = CUSHIM_OUTCOME_LOADED;
    source_path(source, report->library, sizeof report->library);
    if (!report->library[0])
        cushim__text_copy(report->library, sizeof report->library, candidate->path);
    report->driver_version = candidate->version;
    cushim__other_driver(report->library, other, sizeof other);
    if (other[0])
        cushim__log("%s was loaded, and the process has another driver: %s", report->library,
                    other);
}

/*
 * `library` is NULL if it could not be opened; then the candidate has its outcome. A library that
 * is not a driver is closed, lest a search by name find it again by its SONAME. A driver stays
 * open, since it may have threads.
 */
static void try_library(const struct cushim_load_options *options, struct cushim_report *report,
                        struct cushim__candidate *candidate, void *library,
                        struct cushim__source *source)
{
    if (!library)
        return;
    *source = (struct cushim__source){.resolver = cushim__library_symbol, .data = library};
    examine(options, report, candidate, source);
    if (candidate->outcome == CUSHIM_OUTCOME_NOT_A_DRIVER ||
        candidate->outcome == CUSHIM_OUTCOME_STUB)
        cushim__library_close(library);
}

/* Try the path that an option or the environment gives. */
static void try_named(const struct cushim_load_options *options, struct cushim_report *report,
                      enum cushim_origin origin, const char *path, struct cushim__source *source)
{
    struct cushim__candidate *candidate = add_candidate(report, origin, path);

    if (origin == CUSHIM_ORIGIN_ENVIRONMENT && strcmp(path, "none") == 0)
        candidate->outcome = CUSHIM_OUTCOME_DISABLED;
    else if (!path[0])
        cushim__reject(candidate, CUSHIM_OUTCOME_REFUSED,
                       origin == CUSHIM_ORIGIN_ENVIRONMENT ? "CUSHIM_LIBRARY is set, but empty"
                                                           : "the path is empty");
    else if (!cushim__system_path_is_absolute(path))
        cushim__reject(candidate, CUSHIM_OUTCOME_REFUSED, "the path is not absolute");
    else if (strlen(path) >= sizeof candidate->path)
        cushim__reject(candidate, CUSHIM_OUTCOME_REFUSED, "the path is too long");
    else
        try_library(options, report, candidate, cushim__library_open(candidate), source);
}

static void search(const struct cushim_load_options *options, struct cushim_report *report,
                   struct cushim__source *source)
{
    for (const struct cushim__place *place = cushim__places; place->path; place++) {
        struct cushim__candidate *candidate = add_candidate(report, place->origin, place->path);

        try_library(options, report, candidate, cushim__library_open(candidate), source);
        /* No other path can help a static program. */
        if (candidate->outcome == CUSHIM_OUTCOME_LOADED ||
            candidate->outcome == CUSHIM_OUTCOME_STATIC_PROGRAM)
            return;
    }
}

const struct cushim__candidate *cushim__deciding_candidate(const struct cushim_report *report)
{
    const struct cushim__candidate *best = NULL;

    for (unsigned i = 0; i < report->candidate_count; i++) {
        const struct cushim__candidate *candidate = &report->candidates[i];
        if (!best || verdict_of(candidate)->rank > verdict_of(best)->rank)
            best = candidate;
    }
    return best;
}

CUresult cushim__find_driver(const struct cushim_load_options *options,
                             struct cushim_report *report, struct cushim__source *source)
{
    char value[CUSHIM_REPORT_PATH_BYTES + 1];
    const char *named = NULL;
    const struct cushim__candidate *best;

    report->minimum_version = options->minimum_version;
    if (options->resolver) {
        *source =
            (struct cushim__source){.resolver = options->resolver, .data = options->resolver_data};
        examine(options, report, add_candidate(report, CUSHIM_ORIGIN_RESOLVER, ""), source);
    } else if (options->library) {
        try_named(options, report, CUSHIM_ORIGIN_OPTION, options->library, source);
    } else if ((named = cushim__system_variable("CUSHIM_LIBRARY", value, sizeof value))) {
        try_named(options, report, CUSHIM_ORIGIN_ENVIRONMENT, named, source);
    } else {
        search(options, report, source);
    }

    best = cushim__deciding_candidate(report);
    report->state = verdict_of(best)->state;
    report->code =
        best->outcome == CUSHIM_OUTCOME_DRIVER_ERROR ? best->code : verdict_of(best)->code;
    return report->code;
}
