/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Detectors of what lies between the driver's library and the GPU: the kernel module, its device
 * files, and who else holds or hides the GPU. See detect_search.h.
 */
#ifndef CUSHIM_TOOL_DETECT_KERNEL_H
#define CUSHIM_TOOL_DETECT_KERNEL_H

#include "src/tool/system_info.h"

/* A machine without a GPU of NVIDIA's. */
bool detect_no_gpu(const struct system_info *info, struct evidence *evidence);

/* Every GPU is kept for virtual machines. */
bool detect_passed_through(const struct system_info *info, struct evidence *evidence);

/* The free driver nouveau is in the place of NVIDIA's. */
bool detect_nouveau(const struct system_info *info, struct evidence *evidence);

/* The kernel module is not loaded. */
bool detect_no_module(const struct system_info *info, struct evidence *evidence);

/* The kernel module and the library are of two releases. */
bool detect_release(const struct system_info *info, struct evidence *evidence);

/* The library is one for forward compatibility, and was refused. */
bool detect_compatibility(const struct system_info *info, struct evidence *evidence);

/* A device file that CUDA needs is not there. */
bool detect_no_device_file(const struct system_info *info, struct evidence *evidence);

/* A device file may not be opened. */
bool detect_refused_device_file(const struct system_info *info, struct evidence *evidence);

/* CUDA_VISIBLE_DEVICES leaves no GPU. */
bool detect_hidden_gpus(const struct system_info *info, struct evidence *evidence);

#endif
