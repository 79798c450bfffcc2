/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The probe: whether the driver works here, asked without risk to this process.
 *
 * A broken driver may hang or crash in cuInit, or in the constructors that run as it is opened, and
 * takes the process with it. A probe lets a process of its own run into that, for a limited time,
 * and tells what became of it. The process is the command `cushim`.
 */
#ifndef CUSHIM_PROBE_H
#define CUSHIM_PROBE_H

#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

#include <cushim/api.h>
#include <cushim/report.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a probe has found. */
enum cushim_probe_verdict {
    CUSHIM_PROBE_UNKNOWN = 0, /**< Nothing: the probe could not be made. */
    CUSHIM_PROBE_USABLE,      /**< The driver is initialised and has a device. */
    CUSHIM_PROBE_ABSENT,      /**< No driver, or no device: there is nothing to mend. */
    CUSHIM_PROBE_BROKEN,      /**< There is a driver that fails or crashes, or is too old. */
    CUSHIM_PROBE_HUNG,        /**< It had not come back when the time was over. */
};

/** How far the process of a probe has come. */
enum cushim_probe_stage {
    CUSHIM_PROBE_STAGE_START = 0, /**< Not to the driver: what failed is the command. */
    CUSHIM_PROBE_STAGE_LOAD,      /**< The library is being opened: its constructors run. */
    CUSHIM_PROBE_STAGE_INIT,      /**< In cuInit. */
    CUSHIM_PROBE_STAGE_COUNT,     /**< As the driver was asked for its devices. */
    CUSHIM_PROBE_STAGE_DONE,      /**< It has answered. */
};

/** How to probe. All-zero but for `size`, and NULL, mean the defaults. */
struct cushim_probe_options {
    size_t size;         /**< `sizeof(struct cushim_probe_options)`. */
    uint64_t timeout_ns; /**< Longest wait in nanoseconds of the monotonic clock. 0: 10 s. */
    /**
     * Absolute path of the driver library, which alone is tried; NULL: the usual search, that of
     * cushim_load() (driver.h). Borrowed for the call.
     */
    const char *library;
    /** Oldest CUDA version that will do, as cuDriverGetVersion counts (12020 is 12.2). 0: any. */
    int minimum_version;
    /**
     * Absolute path of the command `cushim`, of the same version as this library. NULL: the one that
     * is installed together with the shared library, as seen from that library's file, so that both
     * may be moved. What is linked statically, a subproject and a copy's two files know none: there
     * it has to be named. Borrowed for the call.
     */
    const char *command;
};

/** What a probe has found. It holds no pointers into cushim and may be kept. */
struct cushim_probe_result {
    size_t size; /**< Set to `sizeof(struct cushim_probe_result)` by the caller. */
    enum cushim_probe_verdict verdict;
    enum cushim_probe_stage stage; /**< Where the driver stopped, or DONE. */
    enum cushim_state state;       /**< What the process's own report says; UNTRIED if not DONE. */
    CUresult code;                 /**< 0 if usable, else the loader's, cuInit's, ...; or 0. */
    int driver_version;            /**< cuDriverGetVersion's: 12080 is 12.8. 0: it did not tell. */
    int device_count;              /**< cuDeviceGetCount's; 0: none, or it did not tell. */
    int exit_status; /**< Of a process that ended by itself; -1: it did not, or it is not known. */
    unsigned signal; /**< That ended the process; on Windows the exception. 0: none, or the
                        *   probe's own SIGKILL. */
    long left_process; /**< One that could not be ended, as where the kernel hangs; 0: none. */
    /**
     * Path that was loaded. At the stage LOAD of a driver that hangs or crashes there, the one that was
     * named by the options or CUSHIM_LIBRARY. Empty: none was loaded, or it is not known.
     */
    char library[CUSHIM_REPORT_PATH_BYTES];
    char reason[CUSHIM_REPORT_REASON_BYTES];  /**< One sentence: what is the case, and why. */
    char advice[CUSHIM_REPORT_MESSAGE_BYTES]; /**< One sentence: what to do; empty if nothing. */
};

/**
 * Learn whether the driver can be used, while another process takes the risk.
 *
 * Starts the command in a process and a process group of its own (a job on Windows), which opens
 * the driver, calls cuInit, asks for the devices and what they are, and answers; waits for that
 * until `timeout_ns` have passed; then ends the process and all of its group. Nothing is loaded into this process, and what
 * it has loaded or installed (a mock, a layer) is not asked. A process that works costs what a first
 * cuInit does, and tells no more than that it worked once: ask as a program starts, not often.
 *
 * The process inherits the environment and the current folder, but no descriptor or handle: it
 * reads and prints nothing. No signal handler is touched, and in the process every signal has its
 * default action and is not blocked. What leaves the group by a session of its own (setsid) is not
 * ended. A standard stream that is closed in the caller is /dev/null for the moment in which the
 * process is started.
 *
 * The caller's process gets a SIGCHLD, as of any child. Where SIGCHLD is ignored, or something else
 * in the process waits for all children, the verdict is the same, but `exit_status` and `signal` may
 * be unknown. Only this child is waited for. One that a hung kernel keeps although it is killed is
 * given up after one second more and told as `left_process`: it becomes a zombie when the kernel
 * lets go, and who cares calls waitpid() on it.
 *
 * @param options  How to probe; borrowed for the call. NULL: the defaults.
 * @param probe    Receives what was found; owned by the caller, not NULL. Set `probe->size` before
 *                 the call; no more than that is written, and `size` says afterwards how much was.
 *                 After a failure the verdict is UNKNOWN, and `reason` and `advice` tell of it; only
 *                 where a size is wrong or memory is out, nothing is written.
 *
 * @return CUDA_SUCCESS                 There is a verdict, whatever it is.
 * @return CUDA_ERROR_INVALID_VALUE     `probe` is NULL, a size is smaller than itself, an unknown
 *                                      trailing byte of the options is not zero; or the path of
 *                                      library or command is not absolute or is too long, or
 *                                      `minimum_version` is negative.
 * @return CUDA_ERROR_FILE_NOT_FOUND    There is no such command, or none is known.
 * @return CUDA_ERROR_NOT_PERMITTED     This process runs with more rights than its user
 *                                      (set-user-ID, set-group-ID, file capabilities): the user's
 *                                      environment must not reach a process that may not know so.
 *                                      Not on Windows, where the process knows.
 * @return CUDA_ERROR_OPERATING_SYSTEM  The command cannot be started: no descriptor, no process, no
 *                                      permission.
 * @return CUDA_ERROR_OUT_OF_MEMORY     There is no memory to read the answer into.
 *
 * Thread safety: any thread, any number at once. No cancellation point: a cancellation waits for
 *                the end of the call. Not for a signal handler.
 * Context: needs none, and leaves the current one alone.
 * Driver calls: none in this process.
 * Since: 0.1.
 */
CUSHIM_API CUresult cushim_probe(const struct cushim_probe_options *options,
                                 struct cushim_probe_result *probe);

/**
 * Name a verdict for programs: `usable`, `absent`, `broken`, `hung`, `unknown`.
 *
 * @param verdict  Any number.
 *
 * @return Static string; `unknown` for a number that is no verdict. Never NULL.
 *
 * Thread safety: any thread.
 * Context: needs none, and leaves the current one alone.
 * Driver calls: none.
 * Since: 0.1.
 */
CUSHIM_API const char *cushim_probe_verdict_name(enum cushim_probe_verdict verdict);

/**
 * Name a stage for programs: `start`, `load`, `init`, `count`, `done`.
 *
 * @param stage  Any number.
 *
 * @return Static string; `unknown` for a number that is no stage. Never NULL.
 *
 * Thread safety: any thread.
 * Context: needs none, and leaves the current one alone.
 * Driver calls: none.
 * Since: 0.1.
 */
CUSHIM_API const char *cushim_probe_stage_name(enum cushim_probe_stage stage);

#ifdef __cplusplus
}
#endif

#endif
