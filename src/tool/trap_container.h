/* SPDX-License-Identifier: Apache-2.0 */
/* Detectors of what a container and the Windows Subsystem for Linux lack; see trap_search.h. */
#ifndef CUSHIM_TOOL_TRAP_CONTAINER_H
#define CUSHIM_TOOL_TRAP_CONTAINER_H

#include "src/tool/trap_scene.h"

/* A container without any part of the driver. */
bool trap_sees_bare_container(const struct trap_scene *scene, struct trap_evidence *evidence);

/* A container with GPUs, but without the driver's part for CUDA. */
bool trap_sees_container_without_compute(const struct trap_scene *scene,
                                         struct trap_evidence *evidence);

/* A container that was started with the order to give it no GPU. */
bool trap_sees_void_container(const struct trap_scene *scene, struct trap_evidence *evidence);

/* The first version of the subsystem, which has no GPU. */
bool trap_sees_wsl_1(const struct trap_scene *scene, struct trap_evidence *evidence);

/* Another library than the one that Windows lends. */
bool trap_sees_wsl_linux_driver(const struct trap_scene *scene, struct trap_evidence *evidence);

/* No library from Windows. */
bool trap_sees_wsl_without_driver(const struct trap_scene *scene, struct trap_evidence *evidence);

/* No device from Windows. */
bool trap_sees_wsl_without_device(const struct trap_scene *scene, struct trap_evidence *evidence);

#endif
