/* SPDX-License-Identifier: Apache-2.0 */
/* What a trace records, and where to: for the tracer, and for the command that starts a program. */
#ifndef CUSHIM_TRACE_OPTIONS_H
#define CUSHIM_TRACE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The size that the file may have: it takes no room where nothing is written. */
#define TRACE_BUFFER_BYTES (UINT64_C(1) << 30)

struct trace_options {
    const char *path;        /* the file is PATH.PID.trace */
    const char *driver;      /* what the driver is, for the header; NULL: nothing is said */
    uint32_t driver_version; /* as cuDriverGetVersion counts; 0: not known */
    const char *calls;       /* patterns of function names, separated by commas; NULL: all */
    uint64_t buffer_bytes;   /* the largest size of the file */
    uint64_t delay_ns;       /* calls before this are not recorded */
    uint64_t duration_ns;    /* calls after so long are not recorded; 0: no limit */
    bool times_device;       /* put events around work */
    void (*complain)(const char *what); /* that the file cannot be made; NULL: nobody wants it */
    bool waits_for_profiler;            /* record only between cuProfilerStart and cuProfilerStop */
};

/*
 * The next of the patterns of `calls`, without blanks; false: there is none. Check: whether each
 * means a function; else `pattern` is the first that does not.
 */
enum { TRACE_PATTERN_BYTES = 128 };
bool cushim__trace_calls_next(const char **patterns, char pattern[TRACE_PATTERN_BYTES]);
bool cushim__trace_calls_check(const char *patterns, char pattern[TRACE_PATTERN_BYTES]);

/*
 * Read lines of settings over what the options hold. `calls` is valid until the next text is read.
 * False: the text is refused, and `message` says where and why; `where` is what it is called there.
 */
bool cushim__trace_options_read(struct trace_options *options, const char *text, const char *where,
                                char *message, size_t size);

#endif
