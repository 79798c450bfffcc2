/* SPDX-License-Identifier: Apache-2.0 */
/* Detectors of what a container and the Windows Subsystem for Linux lack; see detect_search.h. */
#ifndef CUSHIM_TOOL_DETECT_CONTAINER_H
#define CUSHIM_TOOL_DETECT_CONTAINER_H

#include "src/tool/system_info.h"

/* A container without any part of the driver. */
bool detect_bare_container(const struct system_info *info, struct evidence *evidence);

/* A container with GPUs, but without the driver's part for CUDA. */
bool detect_container_without_compute(const struct system_info *info, struct evidence *evidence);

/* A container that was started with the order to give it no GPU. */
bool detect_void_container(const struct system_info *info, struct evidence *evidence);

/* The first version of the subsystem, which has no GPU. */
bool detect_wsl_1(const struct system_info *info, struct evidence *evidence);

/* Another library than the one that Windows lends. */
bool detect_wsl_linux_driver(const struct system_info *info, struct evidence *evidence);

/* No library from Windows. */
bool detect_wsl_without_driver(const struct system_info *info, struct evidence *evidence);

/* No device from Windows. */
bool detect_wsl_without_device(const struct system_info *info, struct evidence *evidence);

#endif
