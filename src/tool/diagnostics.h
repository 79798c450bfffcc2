/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Diagnostics are causes that keep CUDA from working, and that files, the environment and the
 * report prove. The report says what failed; a diagnostic says why.
 *
 * Each is a row in diagnostics.tsv: a name for programs, the states of the driver in which it
 * matters, a detector, what it means and what to do.
 */
#ifndef CUSHIM_TOOL_DIAGNOSTICS_H
#define CUSHIM_TOOL_DIAGNOSTICS_H

#include "src/tool/diagnostics_files.h"
#include "src/tool/output.h"

/* What a detector has found, in one line, and advice if that depends on what was found. */
struct evidence {
    char text[CUSHIM_REPORT_MESSAGE_BYTES];
    char advice[CUSHIM_REPORT_MESSAGE_BYTES];
};

/* A detector returns whether its cause is present, and writes the evidence. */
typedef bool detector(const struct system_info *info, struct evidence *evidence);

struct diagnostic {
    const char *name; /* for programs, so it keeps its meaning */
    unsigned when;    /* states of the driver, as bits */
    detector *detect; /* NULL if this system has none */
    const char *message;
    const char *advice; /* NULL if the evidence has it */
};

extern const struct diagnostic diagnostics[]; /* ends with a NULL name */

/*
 * Run all detectors, and print what they find: a paragraph for each, or all as the member
 * "diagnostics".
 */
void diagnostics_print(const struct system_info *info);
void diagnostics_json(const struct system_info *info, struct json *json);

/* --- For the detectors --- */

/* Write the evidence. Returns true, which a detector can pass on. */
#if defined(__GNUC__)
__attribute__((format(__printf__, 2, 3)))
#endif
bool evidence_set(struct evidence *evidence, const char *format, ...);

/* diagnostics_search.c: between the linker's search and the driver's library. */
detector detect_stub_folder, detect_shadowed_driver, detect_link_name_only, detect_dangling_link,
    detect_stale_cache, detect_library_outside, detect_nixos;

/*
 * The libcuda.so.1 that the dynamic linker's search leads to, as far as files and the environment
 * show. Returns false if there is none.
 */
bool detect_searched_library(const struct system_info *info, char *path, size_t size);

/* diagnostics_system.c: the GPU, the kernel module and its device files; containers and WSL. */
detector detect_no_gpu, detect_passed_through, detect_nouveau, detect_no_module, detect_release,
    detect_compatibility, detect_no_device_file, detect_refused_device_file, detect_bare_container,
    detect_container_without_compute, detect_void_container, detect_wsl_1, detect_wsl_linux_driver,
    detect_wsl_without_driver, detect_wsl_without_device;

/* How many GPUs the driver numbers; 0 if that is unknown, or if some are partitioned. */
int diagnostics_numbered_gpus(const struct system_info *info);

#endif
