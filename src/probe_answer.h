/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The answer of a probe's process: one line of JSON, written piece by piece. Where the driver ends
 * or stops the process, the line breaks off, and what there is of it tells where that was, and which
 * driver it was once that was loaded.
 *
 *     {"cushim_probe":2,"loading":true,"driver_version":13000,"library":"/...","initialising":true,
 *     "counting":true,"state":"ready",...}
 *
 * Members have this order and no blanks; a stage that was not reached is not there, nor version and
 * library before it.
 */
#ifndef CUSHIM_PROBE_ANSWER_H
#define CUSHIM_PROBE_ANSWER_H

#include <cushim/probe.h>

/* What the command is started with: this word, the protocol, a minimum version, a library or "". */
#define CUSHIM__PROBE_WORD "probe-child"
#define CUSHIM__PROBE_PROTOCOL "2"

#define CUSHIM__PROBE_LOADING "{\"cushim_probe\":" CUSHIM__PROBE_PROTOCOL ",\"loading\":true,"
#define CUSHIM__PROBE_VERSION "\"driver_version\":"
#define CUSHIM__PROBE_LIBRARY ",\"library\":"
#define CUSHIM__PROBE_INITIALISING ",\"initialising\":true,"
#define CUSHIM__PROBE_COUNTING "\"counting\":true,"
#define CUSHIM__PROBE_STATE "\"state\":"
#define CUSHIM__PROBE_CODE ",\"code\":"
#define CUSHIM__PROBE_DEVICES ",\"device_count\":"
#define CUSHIM__PROBE_REASON ",\"reason\":"
#define CUSHIM__PROBE_ADVICE ",\"advice\":"
#define CUSHIM__PROBE_END "}\n"

enum {
    /* Room for every answer: a byte of text is six of JSON at most. */
    CUSHIM__PROBE_ANSWER_BYTES = 512 + 6 * (CUSHIM_REPORT_PATH_BYTES + CUSHIM_REPORT_REASON_BYTES +
                                            CUSHIM_REPORT_MESSAGE_BYTES),
    /* The status of a process that can no longer answer, since its descriptor is gone. */
    CUSHIM__PROBE_LOST = 79,
};

enum cushim__answer {
    CUSHIM__ANSWER_CUT,     /* the beginning of one */
    CUSHIM__ANSWER_WHOLE,   /* one, and nothing behind it */
    CUSHIM__ANSWER_GARBAGE, /* nothing that the command writes */
};

/*
 * Read what a process has printed: `length` bytes, and a NUL behind them. The stage is written in
 * each case, version and library from INIT on, state to advice only if the answer is whole.
 */
enum cushim__answer cushim__probe_answer_read(const char *text, size_t length,
                                              struct cushim_probe_result *probe);

#endif
