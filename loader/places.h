/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folders in which systems keep the driver's library, libcuda.so.1, on Linux. A folder of the first
 * two kinds is a path, of the last two a shell pattern.
 *
 *   LOAD          the loader tries it after the dynamic linker's search
 *   LOAD_AARCH64  the same, on aarch64 only
 *   REPORT        `cushim info` looks there, and says so if a library is there
 *   FOREIGN       the same; the library belongs to another root file system, so it may not work here
 */
#ifndef CUSHIM_LOADER_PLACES_H
#define CUSHIM_LOADER_PLACES_H

/* clang-format off */
#define CUSHIM__FOLDERS(LOAD, LOAD_AARCH64, REPORT, FOREIGN) \
    LOAD("/usr/lib/wsl/lib") \
    LOAD("/run/opengl-driver/lib") /* NixOS */ \
    LOAD_AARCH64("/usr/lib/aarch64-linux-gnu/tegra") \
    LOAD_AARCH64("/usr/lib/aarch64-linux-gnu/nvidia") \
    REPORT("/usr/lib/*-linux-gnu") \
    REPORT("/usr/lib/*-linux-gnu/nvidia") \
    REPORT("/usr/lib/*-linux-gnu/nvidia/current") /* Debian */ \
    REPORT("/usr/lib64") \
    REPORT("/usr/lib64/nvidia") \
    REPORT("/usr/lib64-nvidia") /* Google Colab */ \
    REPORT("/usr/lib") \
    REPORT("/usr/lib/nvidia*") \
    REPORT("/usr/local/nvidia/lib64") /* GKE, and images of CUDA */ \
    REPORT("/usr/local/nvidia/lib") \
    REPORT("/var/lib/nvidia/lib64") /* Container-Optimized OS */ \
    REPORT("/.singularity.d/libs") /* Apptainer */ \
    REPORT("/usr/lib/*-linux-gnu/GL/nvidia-*/lib") /* Flatpak */ \
    REPORT("/var/lib/snapd/lib/gl") /* snap */ \
    REPORT("/var/lib/snapd/lib/gl/nvidia") \
    FOREIGN("/run/nvidia/driver/usr/lib/*-linux-gnu") /* NVIDIA GPU Operator */ \
    FOREIGN("/run/nvidia/driver/usr/lib64") \
    FOREIGN("/run/nvidia/driver/usr/lib") \
    FOREIGN("/home/kubernetes/bin/nvidia/lib64") /* GKE, on the node */ \
    FOREIGN("/var/lib/snapd/hostfs/usr/lib/*-linux-gnu") \
    FOREIGN("/run/host/usr/lib/*-linux-gnu") /* Flatpak, toolbox */ \
    FOREIGN("/run/host/usr/lib64")
/* clang-format on */

#endif
