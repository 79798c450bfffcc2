/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Detectors of what lies between the driver's library and the GPU: the kernel module, its device
 * files, and who else holds or hides the GPU. See trap_search.h.
 */
#ifndef CUSHIM_TOOL_TRAP_KERNEL_H
#define CUSHIM_TOOL_TRAP_KERNEL_H

#include "src/tool/trap_scene.h"

/* A machine without a GPU of NVIDIA's. */
bool trap_sees_no_gpu(const struct trap_scene *scene, struct trap_evidence *evidence);

/* Every GPU is kept for virtual machines. */
bool trap_sees_passed_through(const struct trap_scene *scene, struct trap_evidence *evidence);

/* The free driver nouveau is in the place of NVIDIA's. */
bool trap_sees_nouveau(const struct trap_scene *scene, struct trap_evidence *evidence);

/* The kernel module is not loaded. */
bool trap_sees_no_module(const struct trap_scene *scene, struct trap_evidence *evidence);

/* The kernel module and the library are of two releases. */
bool trap_sees_release(const struct trap_scene *scene, struct trap_evidence *evidence);

/* The library is one for forward compatibility, and was refused. */
bool trap_sees_compatibility(const struct trap_scene *scene, struct trap_evidence *evidence);

/* A device file that CUDA needs is not there. */
bool trap_sees_no_device_file(const struct trap_scene *scene, struct trap_evidence *evidence);

/* A device file may not be opened. */
bool trap_sees_refused_device_file(const struct trap_scene *scene, struct trap_evidence *evidence);

/* CUDA_VISIBLE_DEVICES leaves no GPU. */
bool trap_sees_hidden_gpus(const struct trap_scene *scene, struct trap_evidence *evidence);

#endif
