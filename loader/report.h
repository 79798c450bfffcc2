/* SPDX-License-Identifier: Apache-2.0 */
/* The report of attempts to load, and its advice. */
#ifndef CUSHIM_LOADER_REPORT_H
#define CUSHIM_LOADER_REPORT_H

#include <stdbool.h>

#include <cushim/report.h>

enum { CUSHIM__REPORT_CANDIDATES = 8 };

struct cushim__text;

/* One candidate that was tried. */
struct cushim__candidate {
    enum cushim_origin origin;
    enum cushim_outcome outcome;
    CUresult code;                             /* what cuDriverGetVersion returned, or 0 */
    int version;                               /* the driver's CUDA version, or 0 */
    char path[CUSHIM_REPORT_PATH_BYTES];       /* path or name that was tried; may be empty */
    char message[CUSHIM_REPORT_MESSAGE_BYTES]; /* message of the system or of cushim */
};

/* A report contains no pointers. */
struct cushim_report {
    enum cushim_state state;
    CUresult code;        /* 0 if there is no error; else what the calls, or cuInit, return */
    int driver_version;   /* 0 if none is loaded */
    int minimum_version;  /* minimum that the load required; 0 if none */
    bool installed;       /* the current table is one that the program installed */
    bool table_writable;  /* the system refused to make cushim's own table read-only */
    bool library_ignored; /* CUSHIM_LIBRARY is set, but not read: the process has more rights */
    long init_process;    /* process in which cuInit succeeded; 0 if none */
    struct cushim_symbol_counts symbols;    /* all zero unless a driver is loaded */
    char library[CUSHIM_REPORT_PATH_BYTES]; /* path of the file that is loaded, or empty */
    unsigned candidate_count;
    struct cushim__candidate candidates[CUSHIM__REPORT_CANDIDATES];
    char reason[CUSHIM_REPORT_REASON_BYTES];
    char advice[CUSHIM_REPORT_MESSAGE_BYTES];
};

/* The origin and the outcome of a candidate, for programs; `unknown` for other numbers. */
const char *cushim__origin_name(enum cushim_origin origin);
const char *cushim__outcome_name(enum cushim_outcome outcome);

/* Get the report of this process. */
void cushim__report_get(struct cushim_report *report);

/* Record why a candidate cannot be the driver. Returns false. */
bool cushim__reject(struct cushim__candidate *candidate, enum cushim_outcome outcome,
                    const char *message);

/* Write a report in the formats of cushim_report_write_text() and cushim_report_write_json(). */
size_t cushim__report_text(const struct cushim_report *report, char *buffer, size_t size);
size_t cushim__report_json(const struct cushim_report *report, char *buffer, size_t size);

/* The same, as a part of a text. */
void cushim__report_write_text(const struct cushim_report *report, struct cushim__text *text);
void cushim__report_write_json(const struct cushim_report *report, struct cushim__text *text);

/* Keep the report of the last failed attempt. */
void cushim__keep_failed_report(const struct cushim_report *attempt);

/* In a forked child: release the lock of the report, which a thread of the parent may have held. */
void cushim__report_after_fork(void);

#endif
