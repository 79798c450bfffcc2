/* SPDX-License-Identifier: Apache-2.0 */
/* What a user can do about each state, about each outcome, and about the codes of cuInit. */
#include <cushim/error.h>

#include <stddef.h>

#include "loader/loader.h"

#if defined(_WIN32)
#define DRIVER "nvcuda.dll"
#define CONTAINER_GPUS ""
#define SAME_RELEASE \
    "Reboot after an update of the NVIDIA driver; if that does not help, reinstall the driver."
#define EMPTY_FILE ""
#define LACKS_CUDA "reinstall the NVIDIA driver"
#define FIND_DRIVER "Install the NVIDIA driver: nvcuda.dll is looked for in the system folder only."
#define OTHER_PLACE "Pass the absolute path of nvcuda.dll to cushim_driver_load()"
#define LOOK_AT "nvidia-smi, the event log (nvlddmkm) and CUDA_VISIBLE_DEVICES"
#define FORK_ADVICE NULL /* there is no fork */
#define NOT_INITIALISED "Restart the machine; then look at " LOOK_AT "."
#define SEARCH_VARIABLE ""
#define MISSING_LIBRARY                                                                          \
    "Install the library that the message names, beside the driver or in the system folder; if " \
    "it names none, reinstall the NVIDIA driver."
#define DESCRIPTORS "Let the program close some of its open files; then load again."
#define MEMORY "Free memory, or enlarge the page file; then load again."
#define UNMAPPED ""
#else
#define DRIVER "libcuda.so.1"
#define CONTAINER_GPUS "; in a container, start it with its GPUs"
#define SAME_RELEASE                                                                                \
    "Let the program load the library of the kernel module's release (/proc/driver/nvidia/version " \
    "shows it): take any other libcuda.so.1, as of cuda-compat, a container image or a bundle, "    \
    "out of the search; after an update of the driver, reboot."
#define EMPTY_FILE \
    "; an empty file is the mount point of a container that was started without its GPUs"
#define LACKS_CUDA                                                                                \
    "reinstall the NVIDIA driver; under WSL in a container, update the NVIDIA Container Toolkit " \
    "or Docker Desktop"
#define FIND_DRIVER                                                                               \
    "Install the NVIDIA driver (on Debian and Ubuntu the package that holds libcuda.so.1); in a " \
    "container, start it with its GPUs."
#define OTHER_PLACE                                                                                \
    "Add the driver's folder to /etc/ld.so.conf.d and run ldconfig, or pass the absolute path of " \
    "its libcuda.so.1 to cushim_driver_load()"
#define LOOK_AT                                                                                  \
    "nvidia-smi, the kernel log (dmesg: NVRM, Xid, nvidia-uvm), the device files /dev/nvidia*, " \
    "the releases of the library and of the kernel module (/proc/driver/nvidia/version), and "   \
    "CUDA_VISIBLE_DEVICES"
#define FORK_ADVICE                                                                               \
    "Use CUDA in the parent only, or start the child with exec (spawn instead of fork), or fork " \
    "before the first use of CUDA."
#define NOT_INITIALISED                                                                          \
    "With the open kernel module, load nvidia_uvm with uvm_disable_hmm=1 (options nvidia_uvm "   \
    "uvm_disable_hmm=1 in /etc/modprobe.d, then reboot). If it is another one, look at " LOOK_AT \
    "."
#define SEARCH_VARIABLE " and LD_LIBRARY_PATH"
#define MISSING_LIBRARY                                                                             \
    "Install the library that the message names: it belongs to the same NVIDIA driver and must be " \
    "of the same release."
#define DESCRIPTORS                                                                            \
    "Raise the limit on open files (ulimit -n; of the whole system: fs.file-max), or let the " \
    "program close the files that /proc/PID/fd lists; then load again."
#define MEMORY                                                                                \
    "Raise the limit on the address space (ulimit -v) or free memory, or raise the limit on " \
    "mappings (vm.max_map_count) if the process has very many; then load again."
#define UNMAPPED                                                                                 \
    " A segment that cannot be mapped means a limit on the address space (ulimit -v) or a file " \
    "system that is mounted noexec."
#endif

/* NULL stands for the advice of the outcome, or of the code. */
static const char *const state_advice[] = {
    [CUSHIM_STATE_UNTRIED] = "",
    [CUSHIM_STATE_LOADED] = "",
    [CUSHIM_STATE_READY] = "",
    [CUSHIM_STATE_NO_DEVICE] = "Check that nvidia-smi lists a GPU and that CUDA_VISIBLE_DEVICES is "
                               "unset or names one" CONTAINER_GPUS ".",
    [CUSHIM_STATE_KERNEL_MISMATCH] = SAME_RELEASE,
    [CUSHIM_STATE_NOT_A_DRIVER] = "Name the driver's own library, usually " DRIVER
                                  "; another library has its path or its name.",
    [CUSHIM_STATE_STUB] =
        "Remove the file from the library search path, or name another one: the toolkit's stub is "
        "for linking only. The driver's own " DRIVER " comes with the NVIDIA driver.",
    [CUSHIM_STATE_TOO_OLD] = "Update the NVIDIA driver to one that supports the CUDA version that "
                             "this program needs.",
    [CUSHIM_STATE_DISABLED] = "Unset CUSHIM_LIBRARY to use the driver of this machine.",
    [CUSHIM_STATE_FORKED] = FORK_ADVICE,
};

/* Advice for the outcomes with which a library cannot be opened. */
static const char *const outcome_advice[] = {
    [CUSHIM_OUTCOME_REFUSED] = "Give the absolute path of the driver library, or the word none in "
                               "CUSHIM_LIBRARY, or leave it unset.",
    [CUSHIM_OUTCOME_NOT_FOUND] =
        "Check the path; the driver's library is usually called " DRIVER ".",
    [CUSHIM_OUTCOME_NO_PERMISSION] = "Make the file and its folders readable for this user.",
    [CUSHIM_OUTCOME_NOT_A_LIBRARY] =
        "Remove this file from the library search path, or name another one. Reinstall the NVIDIA "
        "driver if the file replaces the driver's library.",
    [CUSHIM_OUTCOME_WRONG_ARCHITECTURE] = "Install the driver library for the architecture of this "
                                          "program, or run a program built for the library's.",
    [CUSHIM_OUTCOME_TRUNCATED] =
        "Reinstall the NVIDIA driver if the file is truncated, as by a full disk" EMPTY_FILE ".",
    [CUSHIM_OUTCOME_DAMAGED] = "Reinstall the NVIDIA driver: the file is damaged.",
    [CUSHIM_OUTCOME_LACKS_LIBRARY] = MISSING_LIBRARY,
    [CUSHIM_OUTCOME_NOT_LOADABLE] = "Reinstall the NVIDIA driver if the message of the system does "
                                    "not show the remedy." UNMAPPED,
    [CUSHIM_OUTCOME_OTHER_C_LIBRARY] = "Build this program for glibc: NVIDIA's driver libraries "
                                       "need it, and this process uses musl.",
    [CUSHIM_OUTCOME_STATIC_PROGRAM] = "Link this program dynamically, without -static or "
                                      "-static-pie: a static program cannot load the driver.",
    [CUSHIM_OUTCOME_NO_DESCRIPTOR] = DESCRIPTORS,
    [CUSHIM_OUTCOME_NO_MEMORY] = MEMORY,
};

/*
 * Advice for codes that cuInit returns, since the general advice for a code is for other calls.
 * NULL stands for the general advice, which fits cuInit as well.
 */
static const struct {
    CUresult code;
    const char *advice;
} init_advice[] = {
    {CUDA_ERROR_INVALID_VALUE, "Pass 0 to cuInit: no other flags are defined. If the program does "
                               "that, look at " LOOK_AT "."},
    {CUDA_ERROR_OUT_OF_MEMORY,
     "Free memory of the machine, and raise the limits of this process (ulimit -v, and memory.max "
     "of its control group); then look at " LOOK_AT "."},
    {CUDA_ERROR_NOT_INITIALIZED, NOT_INITIALISED},
    {CUDA_ERROR_DEVICE_UNAVAILABLE, NULL},
    {CUDA_ERROR_DEVICE_NOT_LICENSED, NULL},
    {CUDA_ERROR_OPERATING_SYSTEM, NULL},
    {CUDA_ERROR_NOT_FOUND, "A part of the NVIDIA driver is missing: " LACKS_CUDA "."},
    {CUDA_ERROR_NOT_SUPPORTED,
     "If this is a virtual GPU, give it a profile for compute (type Q or C; A and B have no CUDA). "
     "Otherwise look at " LOOK_AT "."},
    {CUDA_ERROR_SYSTEM_NOT_READY,
     "Wait, if the machine has just started. A guest of confidential computing runs nvidia-smi "
     "conf-compute -srs 1; a machine with NVSwitches needs the service nvidia-fabricmanager in the "
     "release of its driver. Otherwise look at " LOOK_AT "."},
    {CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE, SAME_RELEASE},
    {CUDA_ERROR_MPS_CONNECTION_FAILED, NULL},
    {CUDA_ERROR_MPS_RPC_FAILURE, NULL},
    {CUDA_ERROR_MPS_SERVER_NOT_READY, NULL},
    {CUDA_ERROR_MPS_MAX_CLIENTS_REACHED, NULL},
    {CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED, NULL},
    {CUDA_ERROR_UNKNOWN, NULL},
};

static const char *advice_on_init(CUresult code)
{
    for (size_t i = 0; i < sizeof init_advice / sizeof init_advice[0]; i++) {
        if (init_advice[i].code == code)
            return init_advice[i].advice ? init_advice[i].advice : cushim_error_advice(code);
    }
    return "No cause of this code from cuInit is known. Look at " LOOK_AT ".";
}

bool cushim__is_init_of_fork(const struct cushim_report *report)
{
    return report->state == CUSHIM_STATE_INIT_FAILED &&
           report->code == CUDA_ERROR_NOT_INITIALIZED && cushim__process_was_forked();
}

static void advise_to_find(const struct cushim_report *report, struct cushim__text *text)
{
    cushim__text_add(text, FIND_DRIVER);
    if (cushim__ignores_environment(NULL))
        cushim__text_format(text,
                            " If it is elsewhere: " OTHER_PLACE
                            "; this process has more rights than its user, so it ignores "
                            "CUSHIM_LIBRARY%s" SEARCH_VARIABLE ".",
                            report->library_ignored ? " (which is set)" : "");
    else
        cushim__text_add(text, " If it is elsewhere, set CUSHIM_LIBRARY to the absolute path of "
                               "its " DRIVER ".");
}

void cushim__advise(const struct cushim_report *report, struct cushim__text *text)
{
    const struct cushim__candidate *candidate = cushim__deciding_candidate(report);
    const bool is_named = candidate && candidate->origin <= CUSHIM_ORIGIN_ENVIRONMENT;
    const char *advice = state_advice[report->state];

    if (report->state == CUSHIM_STATE_NOT_FOUND && !is_named) {
        advise_to_find(report, text);
        return;
    }
    /* If a file was given, the advice is about that file. */
    if (report->state == CUSHIM_STATE_NOT_LOADABLE || report->state == CUSHIM_STATE_NOT_FOUND)
        advice = outcome_advice[candidate->outcome];
    else if (report->state == CUSHIM_STATE_INIT_FAILED)
        advice = cushim__is_init_of_fork(report) ? FORK_ADVICE : advice_on_init(report->code);
    cushim__text_add(text, advice ? advice : cushim_error_advice(report->code));
}
