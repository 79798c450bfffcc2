/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The report: the state of the driver in this process, as text, as JSON and by function.
 *
 * It contains what a bug report needs first: which library was loaded, from where, its version and
 * its missing symbols; or why there is no driver, and what to do.
 *
 * It describes the driver that cushim has loaded, not a table that the program has installed, such
 * as a mock's. While such a table is current and nothing was loaded, the state is
 * CUSHIM_STATE_UNTRIED, whatever that table returns.
 *
 * Unless a function says otherwise, any thread may call it; it needs no context and leaves the
 * current one alone; it calls no function of the driver; if it fails, it leaves its outputs
 * untouched. Since: 0.1.
 */
#ifndef CUSHIM_REPORT_H
#define CUSHIM_REPORT_H

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
    CUSHIM_OUTCOME_DRIVER_ERROR,       /**< cuDriverGetVersion failed with another code. */
    CUSHIM_OUTCOME_TOO_OLD,            /**< Older than the required minimum. */
    CUSHIM_OUTCOME_OTHER_C_LIBRARY,    /**< It needs functions that musl does not have. */
    CUSHIM_OUTCOME_STATIC_PROGRAM,     /**< The program is static, and can load no library. */
    CUSHIM_OUTCOME_DAMAGED,            /**< A library with inconsistent headers. */
    CUSHIM_OUTCOME_NO_DESCRIPTOR,      /**< Too many files are open. */
    CUSHIM_OUTCOME_NO_MEMORY,          /**< Not enough memory or address space to open it. */
};

/** Sizes of the strings of a report, the closing NUL included. Longer text ends in `...`. */
enum {
    CUSHIM_REPORT_PATH_BYTES = 1024,   /**< Of a path. */
    CUSHIM_REPORT_MESSAGE_BYTES = 512, /**< Of a message about a candidate, and of the advice. */
    CUSHIM_REPORT_REASON_BYTES = 1792, /**< Of the reason. */
};

/**
 * Write the report of this process as a few lines of text for people. Loads nothing, and allocates
 * nothing. The text ends in a newline.
 *
 * @param buffer  Receives the text, terminated by NUL if `size` is not 0; NULL if `size` is 0.
 * @param size    Size of `buffer` in bytes.
 *
 * @return        Length of the whole text in bytes without the NUL, as snprintf() counts: a result
 *                of `size` or more means that the text was cut. The text of a later call may be
 *                longer.
 *
 * Thread safety: any thread; during a load it reports the state before the load. Takes 16 KiB of
 *                the stack.
 */
CUSHIM_API size_t cushim_report_write_text(char *buffer, size_t size);

/**
 * Write the report of this process as one JSON object (RFC 8259) for programs. It also has the
 * names of the symbols that are missing, have fallen back, or were found only by cuGetProcAddress.
 *
 * Keys are stable: newer versions may add keys, but rename none. Bytes of a path that are not valid
 * UTF-8 appear as U+FFFD.
 *
 * @param buffer  As for cushim_report_write_text().
 * @param size    As for cushim_report_write_text().
 *
 * @return As cushim_report_write_text().
 *
 * Thread safety: any thread; during a load it reports the state before the load. Takes 16 KiB of
 *                the stack.
 */
CUSHIM_API size_t cushim_report_write_json(char *buffer, size_t size);

/**
 * Write what the maintainer of a program would ask its user for, as text that can be shown to
 * others: the versions of cushim, of the system and of the kernel module, the limits of the
 * process, the report of this process, and the variables that concern CUDA, from a fixed list.
 *
 * Names of users are replaced by `USER`, and UUIDs of GPUs by `UUID`: the name of the user of this
 * process (`USER`, `LOGNAME` or `USERNAME`) where it is a part of a path, and that of the owner of a
 * home folder. `cushim info --report` writes the same, and the diagnostics and devices.
 *
 * @param buffer  As for cushim_report_write_text().
 * @param size    As for cushim_report_write_text().
 *
 * @return As cushim_report_write_text().
 *
 * Thread safety: any thread, while no thread changes the environment; during a load it reports the
 *                state before the load. Takes 32 KiB of the stack.
 */
CUSHIM_API size_t cushim_report_share_text(char *buffer, size_t size);

/**
 * Write the same as one JSON object (RFC 8259) with the members `system`, `environment` and
 * `report`, of which the last is the object of cushim_report_write_json().
 *
 * @param buffer  As for cushim_report_write_text().
 * @param size    As for cushim_report_write_text().
 *
 * @return As cushim_report_write_text().
 *
 * Thread safety: as for cushim_report_share_text().
 */
CUSHIM_API size_t cushim_report_share_json(char *buffer, size_t size);

/** A report, which does not change after its creation. */
struct cushim_report;

/**
 * Create a report of the present state of this process. Loads nothing.
 *
 * @param report  Receives the report; cushim_report_destroy() frees it.
 *
 * @return CUDA_SUCCESS              The report exists, whatever the state.
 * @return CUDA_ERROR_INVALID_VALUE  `report` is NULL.
 * @return CUDA_ERROR_OUT_OF_MEMORY  There is not enough memory for it.
 *
 * Thread safety: any thread; during a load it reports the state before the load.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_report_create(struct cushim_report **report);

/**
 * Free a report and all strings that it has returned.
 *
 * @param report  From cushim_report_create(); NULL is a no-op.
 *
 * Thread safety: any thread, while no other thread uses this report.
 */
CUSHIM_API void cushim_report_destroy(struct cushim_report *report);

/**
 * @name What a report contains
 *
 * Each function reads one value of a report, which is borrowed. Strings are never NULL and are
 * valid as long as the report. If `report` is NULL, the value is 0 or an empty string.
 *
 * Thread safety: any thread; a report is constant.
 * @{
 */

/** Get the state of the driver. */
CUSHIM_API enum cushim_state cushim_report_state(const struct cushim_report *report);

/** Get the code that calls of the driver, or cuInit, return; CUDA_SUCCESS: no error. */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_report_code(const struct cushim_report *report);

/** Get the version of cuDriverGetVersion (12080 is 12.8). 0 if no driver is loaded. */
CUSHIM_API int cushim_report_driver_version(const struct cushim_report *report);

/** Get the path of the loaded file, or an empty string. */
CUSHIM_API const char *cushim_report_library(const struct cushim_report *report);

/** Get the state and its cause in one sentence. */
CUSHIM_API const char *cushim_report_reason(const struct cushim_report *report);

/** Get advice in one sentence, or an empty string. */
CUSHIM_API const char *cushim_report_advice(const struct cushim_report *report);

/** Get the number of candidates: files and names that were tried as the driver. */
CUSHIM_API unsigned cushim_report_candidate_count(const struct cushim_report *report);

/** @} */

/**
 * Get the numbers of symbols by how they were found; all are zero without a driver.
 *
 * @param report  From cushim_report_create(); not NULL.
 * @param counts  Receives the numbers; not NULL.
 *
 * @return CUDA_SUCCESS               `*counts` is written.
 * @return CUDA_ERROR_INVALID_HANDLE  `report` is NULL.
 * @return CUDA_ERROR_INVALID_VALUE   `counts` is NULL.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_report_get_symbol_counts(
    const struct cushim_report *report, struct cushim_symbol_counts *counts);

/** A file or name that was tried, and the result. */
struct cushim_report_candidate {
    size_t size; /**< Set to `sizeof(struct cushim_report_candidate)`. */

    enum cushim_origin origin;   /**< Where the path comes from. */
    enum cushim_outcome outcome; /**< The result of trying it. */

    const char *origin_name;  /**< The origin for programs: `search`, ... */
    const char *outcome_name; /**< The outcome for programs: `wrong-architecture`, ... */
    const char *path;         /**< Path or name that was tried; may be empty. */
    const char *message;      /**< Message of the system or of cushim; may be empty. */

    CUresult code; /**< The code of cuDriverGetVersion; CUDA_SUCCESS also if it was not called. */
    int version;   /**< CUDA version, or 0. */
};

/** A cushim_report_candidate to be filled. */
#define CUSHIM_REPORT_CANDIDATE_INIT                                                               \
    {                                                                                              \
        sizeof(struct cushim_report_candidate), CUSHIM_ORIGIN_OPTION, CUSHIM_OUTCOME_LOADED, NULL, \
            NULL, NULL, NULL, CUDA_SUCCESS, 0                                                      \
    }

/**
 * Get a candidate of a report.
 *
 * @param report     From cushim_report_create(); not NULL.
 * @param index      Number from 0, in the order in which they were tried.
 * @param candidate  Receives the candidate; not NULL, with its `size` set. Its strings are never
 *                   NULL and live as long as the report.
 *
 * @return CUDA_SUCCESS               `*candidate` is filled as far as its size reaches.
 * @return CUDA_ERROR_INVALID_HANDLE  `report` is NULL.
 * @return CUDA_ERROR_INVALID_VALUE   `candidate` is NULL, `index` is not below
 *                                    cushim_report_candidate_count(), or the size is not that of
 *                                    any version of cushim.
 */
CUSHIM_API CUSHIM__CHECKED CUresult cushim_report_get_candidate(
    const struct cushim_report *report, unsigned index, struct cushim_report_candidate *candidate);

/**
 * Get the name of a state for programs, such as `loaded` or `not-found`.
 *
 * @param state  Any number.
 *
 * @return Static string; `unknown` for a number that is not a state. Never NULL.
 */
CUSHIM_API const char *cushim_state_name(enum cushim_state state);

#ifdef __cplusplus
}
#endif

#endif
