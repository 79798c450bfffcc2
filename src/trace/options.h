/* SPDX-License-Identifier: Apache-2.0 */
/* What a trace records and where, for the writer and for the command that starts a program. */
#ifndef CUSHIM_TRACE_OPTIONS_H
#define CUSHIM_TRACE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The default limit of the file's size; the file is sparse. */
#define TRACE_BUFFER_BYTES (UINT64_C(1) << 30)

struct trace_options {
    const char *path;        /* the file is PATH.PID.trace */
    const char *driver;      /* path or identity of the driver, for the header; NULL if unknown */
    uint32_t driver_version; /* as cuDriverGetVersion returns it; 0 if unknown */
    const char *calls;       /* patterns of function names, separated by commas; NULL for all */
    uint64_t buffer_bytes;   /* limit of the file's size */
    uint64_t delay_ns;       /* from the start of the trace to the first call that is recorded */
    uint64_t duration_ns;    /* how long calls are recorded; 0 for no limit */
    bool times_device;       /* put events around work */
    void (*complain)(const char *what); /* prints why the file cannot be created; may be NULL */
    bool waits_for_profiler;            /* record only between cuProfilerStart and cuProfilerStop */
};

enum { TRACE_PATTERN_BYTES = 128 };

/* Whether one of the patterns matches a function; NULL matches all. */
bool cushim__trace_calls_have(const char *patterns, unsigned slot);

/* Whether each pattern matches a function; if not, `pattern` is the first that does not. */
bool cushim__trace_calls_check(const char *patterns, char pattern[TRACE_PATTERN_BYTES]);

/*
 * Read settings, one on each line, into options that have defaults. `calls` is valid until the next
 * call. Returns false if it is refused; `message` says why, and names the text as `where`.
 */
bool cushim__trace_options_read(struct trace_options *options, const char *text, const char *where,
                                char *message, size_t size);

#endif
