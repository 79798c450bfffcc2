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
#ifndef PROBE_ANSWER_H
#define PROBE_ANSWER_H

#include "src/tool/probe.h"

/* What the command is started with: this word, the protocol, a minimum version, a library or "". */
#define PROBE_WORD "probe-child"
#define PROBE_PROTOCOL "2"

#define PROBE_LOADING "{\"cushim_probe\":" PROBE_PROTOCOL ",\"loading\":true,"
#define PROBE_VERSION "\"driver_version\":"
#define PROBE_LIBRARY ",\"library\":"
#define PROBE_INITIALISING ",\"initialising\":true,"
#define PROBE_COUNTING "\"counting\":true,"
#define PROBE_STATE "\"state\":"
#define PROBE_CODE ",\"code\":"
#define PROBE_DEVICES ",\"device_count\":"
#define PROBE_REASON ",\"reason\":"
#define PROBE_ADVICE ",\"advice\":"
#define PROBE_END "}\n"

enum {
    /* Room for every answer: a byte of text is six of JSON at most. */
    PROBE_ANSWER_BYTES = 512 + 6 * (PROBE_PATH_BYTES + PROBE_REASON_BYTES + PROBE_ADVICE_BYTES),
    /* The status of a process that can no longer answer, since its descriptor is gone. */
    PROBE_LOST = 79,
};

enum probe_answer {
    PROBE_ANSWER_CUT,     /* the beginning of one */
    PROBE_ANSWER_WHOLE,   /* one, and nothing behind it */
    PROBE_ANSWER_GARBAGE, /* nothing that the command writes */
};

/*
 * Read what a process has printed: `length` bytes, and a NUL behind them. The stage is written in
 * each case, version and library from INIT on, state to advice only if the answer is whole.
 */
enum probe_answer probe_answer_read(const char *text, size_t length, struct probe_result *probe);

#endif
