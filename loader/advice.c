/* SPDX-License-Identifier: Apache-2.0 */
/* What a user can do about each state, about each outcome, and about the codes of cuInit. */
#include <cushim/error.h>

#include <stddef.h>

#include "loader/loader.h"
#include "src/base/system.h"

#if defined(_WIN32)
#define DRIVER "nvcuda.dll"
#define CONTAINER_GPUS ""
#define SAME_RELEASE \
    "Reboot after an update of the NVIDIA driver; if that does not help, reinstall the driver."
#define EMPTY_FILE ""
#define LACKS_CUDA "reinstall the NVIDIA driver"
#define FIND_DRIVER "Install the NVIDIA driver: nvcuda.dll is looked for in the system folder only."
#define OTHER_PLACE "pass the absolute path of nvcuda.dll to cushim_driver_load()"
#define LOGS "the event log (nvlddmkm)"
#define FORK_ADVICE NULL /* there is no fork */
#define NOT_INITIALISED "Restart the machine."
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
#define SAME_RELEASE                                                     \
    "Take any libcuda.so.1 of another release than the kernel module's " \
    "(/proc/driver/nvidia/version) out of the search; after an update of the driver, reboot."
#define EMPTY_FILE \
    "; an empty file is the mount point of a container that was started without its GPUs"
#define LACKS_CUDA \
    "reinstall the driver; in a container under WSL, update the NVIDIA Container Toolkit"
#define FIND_DRIVER                                                                               \
    "Install the NVIDIA driver (on Debian and Ubuntu the package that holds libcuda.so.1); in a " \
    "container, start it with its GPUs."
#define OTHER_PLACE                                                                       \
    "add its folder to /etc/ld.so.conf.d and run ldconfig, or pass the path of its file " \
    "to cushim_driver_load()"
#define LOGS "the kernel log (dmesg), the device files /dev/nvidia*"
#define FORK_ADVICE                                                                               \
    "Use CUDA in the parent only, or start the child with exec (spawn instead of fork), or fork " \
    "before the first use of CUDA."
#define NOT_INITIALISED                                                                     \
    "If the kernel module is the open one and "                                             \
    "/sys/module/nvidia_uvm/parameters/uvm_disable_hmm says N, HMM may be the cause: load " \
    "nvidia_uvm with uvm_disable_hmm=1 to try."
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
        "Check the path; the driver's library is usually called " DRIVER ". Without a path (unset "
        "CUSHIM_LIBRARY, if that has it), the driver of this machine is searched for.",
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

/* Advice for a code that cuInit returns; NULL if the general advice for the code fits cuInit too. */
static const char *init_advice(CUresult code)
{
    switch ((int)code) {
    case CUDA_ERROR_INVALID_VALUE:
        return "Pass 0 to cuInit, which takes no other flags; with 0, this code has no known cause.";
    case CUDA_ERROR_OUT_OF_MEMORY:
        return "Free memory, or raise the limits (ulimit -v, memory.max of the control group).";
    case CUDA_ERROR_NOT_INITIALIZED:
        return NOT_INITIALISED;
    case CUDA_ERROR_INVALID_DEVICE:
        return "Let CUDA_VISIBLE_DEVICES name no GPU twice, or unset it.";
    case CUDA_ERROR_NOT_FOUND:
        return "A part of the NVIDIA driver is missing: " LACKS_CUDA ".";
    case CUDA_ERROR_NOT_SUPPORTED:
        return "If this is a virtual GPU, it needs a profile with CUDA (type Q or C).";
    case CUDA_ERROR_SYSTEM_NOT_READY:
        return "Wait, if the machine has just started; with NVSwitch start nvidia-fabricmanager; in "
               "confidential computing run nvidia-smi conf-compute -srs 1.";
    case CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE:
        return SAME_RELEASE;
    /* Codes that headers of CUDA 11.2 do not name yet are numbers. */
    case 46: /* CUDA_ERROR_DEVICE_UNAVAILABLE */
    case CUDA_ERROR_DEVICE_NOT_LICENSED:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case 226: /* CUDA_ERROR_CONTAINED */
    case CUDA_ERROR_OPERATING_SYSTEM:
    case 805: /* CUDA_ERROR_MPS_CONNECTION_FAILED */
    case 806: /* CUDA_ERROR_MPS_RPC_FAILURE */
    case 807: /* CUDA_ERROR_MPS_SERVER_NOT_READY */
    case 808: /* CUDA_ERROR_MPS_MAX_CLIENTS_REACHED */
    case 809: /* CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED */
    case CUDA_ERROR_UNKNOWN:
        return NULL;
    default:
        return "No cause of this code from cuInit is known.";
    }
}

static void advise_on_init(CUresult code, struct cushim__text *text)
{
    const char *advice = init_advice(code);

    cushim__text_add(text, advice ? advice : cushim_error_advice(code));
    if (advice)
        cushim__text_add(text, " Look also at nvidia-smi, " LOGS " and CUDA_VISIBLE_DEVICES.");
}

bool cushim__is_init_of_fork(const struct cushim_report *report)
{
    return report->state == CUSHIM_STATE_INIT_FAILED &&
           report->code == CUDA_ERROR_NOT_INITIALIZED && cushim__system_process_was_forked();
}

static void advise_to_find(struct cushim__text *text)
{
    cushim__text_add(text, FIND_DRIVER " If it is elsewhere, ");
    if (cushim__system_ignores_environment(NULL))
        cushim__text_add(text, OTHER_PLACE ": a process with more rights than its user ignores "
                                           "CUSHIM_LIBRARY" SEARCH_VARIABLE ".");
    else
        cushim__text_add(text, "set CUSHIM_LIBRARY to the absolute path of its " DRIVER ".");
}

void cushim__advise(const struct cushim_report *report, struct cushim__text *text)
{
    const struct cushim__candidate *candidate = cushim__deciding_candidate(report);
    const bool is_named = candidate && candidate->origin <= CUSHIM_ORIGIN_ENVIRONMENT;
    const char *advice = state_advice[report->state];

    if (report->state == CUSHIM_STATE_NOT_FOUND && !is_named) {
        advise_to_find(text);
        return;
    }
    /* If a file was given, the advice is about that file. */
    if (report->state == CUSHIM_STATE_NOT_LOADABLE || report->state == CUSHIM_STATE_NOT_FOUND)
        advice = outcome_advice[candidate->outcome];
    else if (cushim__is_init_of_fork(report))
        advice = FORK_ADVICE;
    else if (report->state == CUSHIM_STATE_INIT_FAILED) {
        advise_on_init(report->code, text);
        return;
    }
    cushim__text_add(text, advice ? advice : cushim_error_advice(report->code));
}
