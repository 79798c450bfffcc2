/* SPDX-License-Identifier: Apache-2.0 */
/* What the user can do about each state and outcome. */
#include <stddef.h>

#include "loader/report.h"

#if defined(_WIN32)
#define DRIVER "nvcuda.dll"
#define CONTAINER_GPUS ""
#define CONTAINER_LIBRARY "; if that does not help, reinstall the NVIDIA driver."
#define FIND_DRIVER \
    "Install the NVIDIA driver: nvcuda.dll is looked for in the system folder only. If it is "
#define FORK_ADVICE NULL /* there is no fork */
#define MISSING_LIBRARY                                                                          \
    "Install the library that the message names, beside the driver or in the system folder; if " \
    "it names none, reinstall the NVIDIA driver."
#define DESCRIPTORS "Let the program close some of its open files; then load again."
#define MEMORY "Free memory, or enlarge the page file; then load again."
#define UNMAPPED ""
#else
#define DRIVER "libcuda.so.1"
#define CONTAINER_GPUS "; in a container, start it with its GPUs"
#define CONTAINER_LIBRARY \
    "; in a container, remove the driver library that the image brought along."
#define FIND_DRIVER                                                                               \
    "Install the NVIDIA driver (on Debian and Ubuntu the package that holds libcuda.so.1); in a " \
    "container, start it with its GPUs; if the driver is "
#define FORK_ADVICE                                                                               \
    "Use CUDA in the parent only, or start the child with exec (spawn instead of fork), or fork " \
    "before the first use of CUDA."
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

static const char *const state_advice[] = {
    [CUSHIM_STATE_UNTRIED] = "",
    [CUSHIM_STATE_LOADED] = "",
    [CUSHIM_STATE_READY] = "",
    [CUSHIM_STATE_NO_DEVICE] = "Check that nvidia-smi lists a GPU and that CUDA_VISIBLE_DEVICES is "
                               "unset or names one" CONTAINER_GPUS ".",
    [CUSHIM_STATE_KERNEL_MISMATCH] =
        "Reboot, so that the kernel module is of the same release as the library" CONTAINER_LIBRARY,
    [CUSHIM_STATE_NOT_FOUND] =
        FIND_DRIVER "elsewhere, set CUSHIM_LIBRARY to the absolute path of its " DRIVER ".",
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
        "Reinstall the NVIDIA driver: the file is truncated, as by a full disk.",
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

const char *cushim__state_advice(enum cushim_state state)
{
    return state_advice[state];
}

const char *cushim__outcome_advice(enum cushim_outcome outcome)
{
    const size_t count = sizeof outcome_advice / sizeof outcome_advice[0];

    return outcome < count && outcome_advice[outcome] ? outcome_advice[outcome] : "";
}
