/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/advice.h"

#include <stddef.h>

const char *const cushim__state_advice[] = {
    [CUSHIM_STATE_UNTRIED] = "",
    [CUSHIM_STATE_LOADED] = "",
    [CUSHIM_STATE_READY] = "",
    [CUSHIM_STATE_NO_DEVICE] =
        "Check that nvidia-smi lists a GPU and that CUDA_VISIBLE_DEVICES is unset or names one.",
    [CUSHIM_STATE_KERNEL_MISMATCH] =
        "Restart the machine, so that the driver and its library are of the same release; if that "
        "does not help, reinstall the NVIDIA driver.",
    [CUSHIM_STATE_INIT_FAILED] = NULL,
    [CUSHIM_STATE_NOT_FOUND] =
        "Install the NVIDIA driver: nvcuda.dll is looked for in the system's folder only. If the "
        "driver is elsewhere, set CUSHIM_LIBRARY to the absolute path of its nvcuda.dll.",
    [CUSHIM_STATE_NOT_LOADABLE] = NULL,
    [CUSHIM_STATE_NOT_A_DRIVER] =
        "Name the driver's own library, usually nvcuda.dll; another library has its place or its "
        "name.",
    [CUSHIM_STATE_STUB] =
        "Name the driver's own nvcuda.dll, which comes with the NVIDIA driver: this file is for "
        "linking only.",
    [CUSHIM_STATE_DRIVER_ERROR] = NULL,
    [CUSHIM_STATE_TOO_OLD] = "Update the NVIDIA driver to one that supports the CUDA "
                             "version that this program needs.",
    [CUSHIM_STATE_DISABLED] = "Unset CUSHIM_LIBRARY to use the driver of this machine.",
    [CUSHIM_STATE_FORKED] = "", /* there is no fork here */
};

const char *const cushim__outcome_advice[] = {
    [CUSHIM_OUTCOME_LOADED] = "",
    [CUSHIM_OUTCOME_DISABLED] = "",
    [CUSHIM_OUTCOME_REFUSED] = "Give the absolute path of the driver library, or the word none in "
                               "CUSHIM_LIBRARY, or leave it unset.",
    [CUSHIM_OUTCOME_NOT_FOUND] =
        "Check the path; the driver's library is usually called nvcuda.dll.",
    [CUSHIM_OUTCOME_NO_PERMISSION] = "Make the file and its folders readable for this user.",
    [CUSHIM_OUTCOME_NOT_A_LIBRARY] = "Reinstall the NVIDIA driver if this file stands in the place "
                                     "of its library, or name another file.",
    [CUSHIM_OUTCOME_WRONG_ARCHITECTURE] = "Install the driver library for the architecture of "
                                          "this program, or run a program built for the "
                                          "library's.",
    [CUSHIM_OUTCOME_TRUNCATED] = "Reinstall the NVIDIA driver: the file was cut "
                                 "short, as by a full disk.",
    [CUSHIM_OUTCOME_LACKS_LIBRARY] =
        "Install the library that the message names, beside the driver or in the system's folder; "
        "if it names none, reinstall the NVIDIA driver.",
    [CUSHIM_OUTCOME_NOT_LOADABLE] = "Reinstall the NVIDIA driver if the message of the system "
                                    "does not tell the cure.",
    [CUSHIM_OUTCOME_NOT_A_DRIVER] = "",
    [CUSHIM_OUTCOME_STUB] = "",
    [CUSHIM_OUTCOME_DRIVER_ERROR] = "",
    [CUSHIM_OUTCOME_TOO_OLD] = "",
    [CUSHIM_OUTCOME_OTHER_C_LIBRARY] = "",
    [CUSHIM_OUTCOME_STATIC_PROGRAM] = "",
    [CUSHIM_OUTCOME_DAMAGED] = "",
    [CUSHIM_OUTCOME_NO_DESCRIPTOR] = "Let the program close files that it keeps open; then load "
                                     "again.",
    [CUSHIM_OUTCOME_NO_MEMORY] = "Free memory, or enlarge the page file; then load again.",
};
