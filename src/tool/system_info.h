/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The system: all that the diagnostics may look at, and the questions that several detectors
 * ask of it.
 */
#ifndef CUSHIM_TOOL_SYSTEM_INFO_H
#define CUSHIM_TOOL_SYSTEM_INFO_H

#include <stdbool.h>

#include "loader/report.h"
#include "src/tool/probe.h"

struct system_info {
    const struct cushim_report *report; /* what became of the driver */
    const char *root;                   /* of the file system: see files.h */
    const char *command;                /* path of cushim, to try libraries; NULL: not known */
    uint64_t seconds;                   /* after which a library that is tried counts as hung */
};

/* What a detector has seen, a few words in one line, and what to do if that names what it saw. */
struct evidence {
    char text[CUSHIM_REPORT_MESSAGE_BYTES];
    char advice[CUSHIM_REPORT_MESSAGE_BYTES];
};

/* Write evidence. Always true, so that a detector can return it. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
bool evidence_set(struct evidence *evidence, const char *format, ...);

/* Write what to do. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void evidence_advise(struct evidence *evidence, const char *format, ...);

/*
 * Load a library as the driver in a process of its own, so that it can do no harm. True: it is a
 * driver, and `probe` says whether it can be initialised.
 */
bool try_driver(const struct system_info *info, const char *path, struct probe_result *probe);

/* Whether a path is there, of any kind. */
bool system_info_has(const struct system_info *info, const char *path);

/* What shows that this is a container; NULL: nothing does. */
const char *system_info_container(const struct system_info *info);

/* The Windows Subsystem for Linux: its version, 0 for another kernel. */
int system_info_wsl(const struct system_info *info);

/* A Jetson, whose GPU stands on no PCI bus and has other device files. */
bool system_info_is_tegra(const struct system_info *info);

/* Whether a device of the PCI bus, a folder, is a GPU of NVIDIA's. */
bool system_info_is_gpu(const struct system_info *info, const char *device);

/* NVIDIA's GPUs on the PCI bus; negative: there is no such bus to be seen here. */
int system_info_gpus(const struct system_info *info);

/* Whether the nvidia kernel module is loaded. */
bool system_info_has_module(const struct system_info *info);

/* Whether a file of the module's devices is there, by a pattern of the shell. */
bool system_info_has_device(const struct system_info *info, const char *pattern);

/* How many paths match a pattern of the shell. */
int system_info_count(const struct system_info *info, const char *pattern);

#endif
