/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scene: all that the search for traps may look at, and the questions that several detectors
 * ask of it.
 */
#ifndef CUSHIM_TOOL_TRAP_SCENE_H
#define CUSHIM_TOOL_TRAP_SCENE_H

#include <stdbool.h>

#include "loader/report.h"
#include "src/tool/probe.h"

struct trap_scene {
    const struct cushim_report *report;  /* what became of the driver */
    const char *root;                    /* of the file system: see files.h */
    char *(*variable)(const char *name); /* of the environment: getenv() */
    const char *command;                 /* path of cushim, to try libraries; NULL: not known */
    uint64_t seconds;                    /* after which a library that is tried counts as hung */
};

/* What a detector has seen, a few words in one line, and what to do if that names what it saw. */
struct trap_evidence {
    char text[CUSHIM_REPORT_MESSAGE_BYTES];
    char advice[CUSHIM_REPORT_MESSAGE_BYTES];
};

/* Write evidence. Always true, so that a detector can return it. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
bool trap_tell(struct trap_evidence *evidence, const char *format, ...);

/* Write what to do. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void trap_advise(struct trap_evidence *evidence, const char *format, ...);

/*
 * Load a library as the driver in a process of its own, so that it can do no harm. True: it is a
 * driver, and `probe` says whether it can be initialised.
 */
bool trap_try_driver(const struct trap_scene *scene, const char *path, struct probe_result *probe);

/* A variable of the environment; NULL: it is not set. */
const char *trap_variable(const struct trap_scene *scene, const char *name);

/* Whether a path is there, of any kind. */
bool trap_has(const struct trap_scene *scene, const char *path);

/* What shows that this is a container; NULL: nothing does. */
const char *trap_container(const struct trap_scene *scene);

/* The Windows Subsystem for Linux: its version, 0 for another kernel. */
int trap_wsl(const struct trap_scene *scene);

/* A Jetson, whose GPU stands on no PCI bus and has other device files. */
bool trap_is_tegra(const struct trap_scene *scene);

/* Whether a device of the PCI bus, a folder, is a GPU of NVIDIA's. */
bool trap_is_gpu(const struct trap_scene *scene, const char *device);

/* NVIDIA's GPUs on the PCI bus; negative: there is no such bus to be seen here. */
int trap_gpus(const struct trap_scene *scene);

/* Whether the nvidia kernel module is loaded. */
bool trap_has_module(const struct trap_scene *scene);

/* Whether a file of the module's devices is there, by a pattern of the shell. */
bool trap_has_device(const struct trap_scene *scene, const char *pattern);

/* How many paths match a pattern of the shell. */
int trap_count(const struct trap_scene *scene, const char *pattern);

#endif
