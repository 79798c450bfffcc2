/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The report: the state of the driver in this process, as data, as text and as JSON.
 *
 * It answers the question that a bug report asks first: which library was loaded, from where,
 * which version, what is missing - or why there is none, and what to do about it.
 */
#ifndef CUSHIM_REPORT_H
#define CUSHIM_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include <cuda.h>

#include <cushim/api.h>
#include <cushim/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The state of the driver in this process. */
enum cushim_state {
    CUSHIM_STATE_UNTRIED = 0,     /**< Nothing has been loaded yet. */
    CUSHIM_STATE_LOADED,          /**< Loaded; cuInit has not been called. */
    CUSHIM_STATE_READY,           /**< Loaded and initialised. */
    CUSHIM_STATE_NO_DEVICE,       /**< Loaded; cuInit found no GPU. */
    CUSHIM_STATE_KERNEL_MISMATCH, /**< Loaded; the kernel module is of another version. */
    CUSHIM_STATE_INIT_FAILED,     /**< Loaded; cuInit failed for another reason. */
    CUSHIM_STATE_NOT_FOUND,       /**< No driver library was found. */
    CUSHIM_STATE_NOT_LOADABLE,    /**< A library was found or given, and cannot be opened. */
    CUSHIM_STATE_NOT_A_DRIVER,    /**< The library was opened and is not a CUDA driver. */
    CUSHIM_STATE_STUB,            /**< The library is the toolkit's link-time stub. */
    CUSHIM_STATE_DRIVER_ERROR,    /**< cuDriverGetVersion failed. */
    CUSHIM_STATE_TOO_OLD,         /**< The driver is older than the required minimum. */
    CUSHIM_STATE_DISABLED,        /**< CUSHIM_LIBRARY=none. */
    CUSHIM_STATE_FORKED,          /**< The parent had initialised or was loading when it forked. */
};

/** Where the path of a candidate comes from. */
enum cushim_origin {
    CUSHIM_ORIGIN_OPTION = 0,  /**< cushim_load_options::library */
    CUSHIM_ORIGIN_RESOLVER,    /**< cushim_load_options::resolver */
    CUSHIM_ORIGIN_ENVIRONMENT, /**< CUSHIM_LIBRARY */
    CUSHIM_ORIGIN_SEARCH,      /**< The system's library search. */
    CUSHIM_ORIGIN_WELL_KNOWN,  /**< A path that the search of some systems does not include. */
};

/** The result of trying a candidate. */
enum cushim_outcome {
    CUSHIM_OUTCOME_LOADED = 0,         /**< This is the driver. */
    CUSHIM_OUTCOME_DISABLED,           /**< The word `none`. */
    CUSHIM_OUTCOME_REFUSED,            /**< An empty, relative or too long path. */
    CUSHIM_OUTCOME_NOT_FOUND,          /**< No such file. */
    CUSHIM_OUTCOME_NO_PERMISSION,      /**< The file may not be read. */
    CUSHIM_OUTCOME_NOT_A_LIBRARY,      /**< A directory, an empty file or another kind. */
    CUSHIM_OUTCOME_WRONG_ARCHITECTURE, /**< A library for another processor or word size. */
    CUSHIM_OUTCOME_TRUNCATED,          /**< A library whose end is missing. */
    CUSHIM_OUTCOME_LACKS_LIBRARY,      /**< It needs another library that was not found. */
    CUSHIM_OUTCOME_NOT_LOADABLE,       /**< The system refused it for another reason. */
    CUSHIM_OUTCOME_NOT_A_DRIVER,       /**< It lacks cuInit or cuDriverGetVersion. */
    CUSHIM_OUTCOME_STUB,               /**< cuDriverGetVersion returned STUB_LIBRARY. */
    CUSHIM_OUTCOME_DRIVER_ERROR,       /**< cuDriverGetVersion failed otherwise. */
    CUSHIM_OUTCOME_TOO_OLD,            /**< Older than the required minimum. */
    CUSHIM_OUTCOME_OTHER_C_LIBRARY,    /**< It needs functions that musl does not have. */
    CUSHIM_OUTCOME_STATIC_PROGRAM,     /**< The program is static, and can load no library. */
    CUSHIM_OUTCOME_DAMAGED,            /**< A library with inconsistent headers. */
    CUSHIM_OUTCOME_NO_DESCRIPTOR,      /**< Too many files are open. */
    CUSHIM_OUTCOME_NO_MEMORY,          /**< Not enough memory or address space to open it. */
};

/** Sizes of the strings of a report, the closing NUL included. Longer text ends in `...`. */
enum {
    CUSHIM_REPORT_PATH_BYTES = 1024,
    CUSHIM_REPORT_MESSAGE_BYTES = 512,
    CUSHIM_REPORT_REASON_BYTES = 1792,
    CUSHIM_REPORT_CANDIDATES = 8,
};

/** One candidate that was tried. */
struct cushim_candidate {
    enum cushim_origin origin;
    enum cushim_outcome outcome;
    CUresult code;                             /**< What cuDriverGetVersion returned, or 0. */
    int version;                               /**< The driver's CUDA version, or 0. */
    char path[CUSHIM_REPORT_PATH_BYTES];       /**< Path or name that was tried; may be empty. */
    char message[CUSHIM_REPORT_MESSAGE_BYTES]; /**< Message of the system or of cushim. */
};

/** The report. It contains no pointers into cushim and may be kept. */
struct cushim_report {
    size_t size;             /**< Set to `sizeof(struct cushim_report)` by the caller. */
    enum cushim_state state; /**< State of the driver. */
    CUresult code;           /**< 0: no error; else what the calls, or cuInit, return. */
    int driver_version;      /**< cuDriverGetVersion's: 12080 is 12.8. 0 if none is loaded. */
    int minimum_version;     /**< Minimum that the load required; 0 if none. */
    bool installed;          /**< The current table is one that the program installed. */
    bool table_writable;     /**< The system refused to make cushim's own table read-only. */
    long init_process;       /**< Process in which cuInit succeeded; 0 if none. */
    struct cushim_symbol_counts symbols;    /**< All zero unless a driver is loaded. */
    char library[CUSHIM_REPORT_PATH_BYTES]; /**< Path of the file that is loaded, or empty. */
    unsigned candidate_count;
    struct cushim_candidate candidates[CUSHIM_REPORT_CANDIDATES];
    char reason[CUSHIM_REPORT_REASON_BYTES];  /**< One sentence: the state, and why. */
    char advice[CUSHIM_REPORT_MESSAGE_BYTES]; /**< One sentence: what to do; empty if nothing. */
};

/**
 * Get the report of this process. Loads nothing.
 *
 * @param report  Receives the report; owned by the caller. Set `report->size` before the call.
 *
 * @return CUDA_SUCCESS              The report is filled, whatever the state.
 * @return CUDA_ERROR_INVALID_VALUE  `report` is NULL, or its size is less than this library's
 *                                   `sizeof(struct cushim_report)`; nothing is written.
 *
 * Thread safety: any thread; during a load it reports the state before the load.
 * Context: needs none, and leaves the current one alone.
 * Driver calls: none.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_report_get(struct cushim_report *report);

/**
 * Write a report as text for people, a few lines, ending in a newline.
 *
 * @param report  From cushim_report_get(); borrowed. NULL, or one that cushim_report_get() would
 *                refuse for its size: the text is empty.
 * @param buffer  Receives the text, terminated by NUL if `size` is not 0; NULL if `size` is 0.
 * @param size    Size of `buffer` in bytes.
 *
 * @return        Length of the whole text in bytes without the NUL, as snprintf() counts: a result
 *                of `size` or more means that the text was cut.
 *
 * Thread safety: any thread.
 * Context: needs none, and leaves the current one alone.
 * Driver calls: none.
 * Since: 0.1.
 */
CUSHIM_API size_t cushim_report_text(const struct cushim_report *report, char *buffer, size_t size);

/**
 * Write a report as one JSON object (RFC 8259) for programs, with the names of the symbols that are
 * missing, fallen back or found by cuGetProcAddress only.
 *
 * Keys are stable: newer versions add keys and rename none. Bytes of a path that are not valid
 * UTF-8 are written as U+FFFD.
 *
 * @param report  As for cushim_report_text(). The report does not contain the names of symbols:
 *                they are those of the driver that is loaded at the time of the call.
 * @param buffer  As for cushim_report_text().
 * @param size    As for cushim_report_text().
 *
 * @return As cushim_report_text().
 *
 * Thread safety: any thread.
 * Context: needs none, and leaves the current one alone.
 * Driver calls: none.
 * Since: 0.1.
 */
CUSHIM_API size_t cushim_report_json(const struct cushim_report *report, char *buffer, size_t size);

/**
 * Name a state for programs: `loaded`, `not-found`, ...
 *
 * @param state  Any number.
 *
 * @return Static string; `unknown` for a number that is no state. Never NULL.
 *
 * Thread safety: any thread.
 * Context: needs none, and leaves the current one alone.
 * Driver calls: none.
 * Since: 0.1.
 */
CUSHIM_API const char *cushim_state_name(enum cushim_state state);

/**
 * Name the outcome of a candidate for programs: `wrong-architecture`, ...
 *
 * @param outcome  Any number.
 *
 * @return Static string; `unknown` for a number that is no outcome. Never NULL.
 *
 * Thread safety: any thread.
 * Context: needs none, and leaves the current one alone.
 * Driver calls: none.
 * Since: 0.1.
 */
CUSHIM_API const char *cushim_outcome_name(enum cushim_outcome outcome);

/**
 * Name the origin of a candidate for programs: `search`, ...
 *
 * @param origin  Any number.
 *
 * @return Static string; `unknown` for a number that is no origin. Never NULL.
 *
 * Thread safety: any thread.
 * Context: needs none, and leaves the current one alone.
 * Driver calls: none.
 * Since: 0.1.
 */
CUSHIM_API const char *cushim_origin_name(enum cushim_origin origin);

#ifdef __cplusplus
}
#endif

#endif
