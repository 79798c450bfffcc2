/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/advice.h"

#include <stddef.h>

const char *const cushim__state_advice[] = {
    [CUSHIM_STATE_UNTRIED] = "",
    [CUSHIM_STATE_LOADED] = "",
    [CUSHIM_STATE_READY] = "",
    [CUSHIM_STATE_NO_DEVICE] = "Check that nvidia-smi lists a GPU and that CUDA_VISIBLE_DEVICES "
                               "is unset or names one; in a container, start it with its GPUs.",
    [CUSHIM_STATE_KERNEL_MISMATCH] =
        "Reboot, or reload the nvidia kernel module, so that it is of the same release as the "
        "library; in a container, take out the driver library that the image brought along.",
    [CUSHIM_STATE_INIT_FAILED] = NULL,
    [CUSHIM_STATE_NOT_FOUND] =
        "Install the NVIDIA driver (on Debian and Ubuntu the package that holds libcuda.so.1); in "
        "a container, start it with its GPUs; if the driver is elsewhere, set CUSHIM_LIBRARY to "
        "the absolute path of its libcuda.so.1.",
    [CUSHIM_STATE_NOT_LOADABLE] = NULL,
    [CUSHIM_STATE_NOT_A_DRIVER] =
        "Name the driver's own library, usually libcuda.so.1; another library has "
        "its place or its name.",
    [CUSHIM_STATE_STUB] =
        "Take the file out of the library search path, or name another one: the toolkit's stub is "
        "for linking only. The driver's own libcuda.so.1 comes with the NVIDIA driver.",
    [CUSHIM_STATE_DRIVER_ERROR] = NULL,
    [CUSHIM_STATE_TOO_OLD] = "Update the NVIDIA driver to one that supports the CUDA "
                             "version that this program needs.",
    [CUSHIM_STATE_DISABLED] = "Unset CUSHIM_LIBRARY to use the driver of this machine.",
    [CUSHIM_STATE_FORKED] = "Use CUDA in the parent only, or start the child with exec (spawn "
                            "instead of fork), or fork before the first use of CUDA.",
};

const char *const cushim__outcome_advice[] = {
    [CUSHIM_OUTCOME_LOADED] = "",
    [CUSHIM_OUTCOME_DISABLED] = "",
    [CUSHIM_OUTCOME_REFUSED] = "Give the absolute path of the driver library, or the word none in "
                               "CUSHIM_LIBRARY, or leave it unset.",
    [CUSHIM_OUTCOME_NOT_FOUND] = "Check the path; the driver's library is usually "
                                 "called libcuda.so.1.",
    [CUSHIM_OUTCOME_NO_PERMISSION] = "Make the file and its folders readable for this user.",
    [CUSHIM_OUTCOME_NOT_A_LIBRARY] =
        "Take this file out of the library search path, or name another one. Reinstall the NVIDIA "
        "driver if it stands in the place of the driver's library.",
    [CUSHIM_OUTCOME_WRONG_ARCHITECTURE] = "Install the driver library for the architecture of "
                                          "this program, or run a program built for the "
                                          "library's.",
    [CUSHIM_OUTCOME_TRUNCATED] = "Reinstall the NVIDIA driver: the file was cut "
                                 "short, as by a full disk.",
    [CUSHIM_OUTCOME_LACKS_LIBRARY] = "Install the library that the message names: it belongs to "
                                     "the same NVIDIA driver and must be of the same release.",
    [CUSHIM_OUTCOME_NOT_LOADABLE] = "Reinstall the NVIDIA driver if the message of the system "
                                    "does not tell the cure.",
    [CUSHIM_OUTCOME_NOT_A_DRIVER] = "",
    [CUSHIM_OUTCOME_STUB] = "",
    [CUSHIM_OUTCOME_DRIVER_ERROR] = "",
    [CUSHIM_OUTCOME_TOO_OLD] = "",
    [CUSHIM_OUTCOME_OTHER_C_LIBRARY] =
        "Build this program for glibc: NVIDIA's driver libraries need it, and this process has "
        "musl.",
    [CUSHIM_OUTCOME_STATIC_PROGRAM] =
        "Link this program dynamically, without -static or -static-pie: a static program cannot "
        "load the driver.",
    [CUSHIM_OUTCOME_DAMAGED] = "Reinstall the NVIDIA driver: the file is not as it was built.",
    [CUSHIM_OUTCOME_NO_DESCRIPTOR] =
        "Raise the limit on open files (ulimit -n; of the whole system: fs.file-max), or let the "
        "program close what /proc/PID/fd shows that it keeps open; then load again.",
    [CUSHIM_OUTCOME_NO_MEMORY] =
        "Raise the limit on the address space (ulimit -v) or free memory, or raise the limit on "
        "mappings (vm.max_map_count) if the process has very many; then load again.",
};
