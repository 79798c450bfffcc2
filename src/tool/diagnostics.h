/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Diagnostics: causes that keep CUDA from working and that files, the environment and the report
 * prove. The report says what failed; a diagnostic says why.
 *
 * Each is a row in diagnostics.tsv: a name for programs, the states of the driver in which it
 * matters, a detector, what it means and what to do.
 */
#ifndef CUSHIM_TOOL_DIAGNOSTICS_H
#define CUSHIM_TOOL_DIAGNOSTICS_H

#include "src/tool/diagnostics_files.h"
#include "src/tool/output.h"

/*
 * What a detector has found, a few words in one line, and what to do if that names what it found.
 */
struct evidence {
    char text[CUSHIM_REPORT_MESSAGE_BYTES];
    char advice[CUSHIM_REPORT_MESSAGE_BYTES];
};

/* A detector says whether its cause is there, and writes the evidence. */
typedef bool detector(const struct system_info *info, struct evidence *evidence);

struct diagnostic {
    const char *name; /* for programs: it keeps its meaning */
    unsigned when;    /* what became of the driver, as bits */
    detector *detect; /* NULL: it does not exist on this system */
    const char *message;
    const char *advice; /* NULL: the evidence has it */
};

extern const struct diagnostic diagnostics[]; /* ends with a NULL name */

/*
 * Look for all, and print those that are found: each as a paragraph, or all as the member
 * "diagnostics".
 */
void diagnostics_print(const struct system_info *info);
void diagnostics_json(const struct system_info *info, struct json *json);

/* --- For the detectors --- */

/* Write evidence. Always true, so that a detector can return it. */
#if defined(__GNUC__)
__attribute__((format(__printf__, 2, 3)))
#endif
bool evidence_set(struct evidence *evidence, const char *format, ...);

/* diagnostics_search.c: what lies between the linker's search and the driver's library. */
detector detect_stub_folder, detect_shadowed_driver, detect_link_name_only, detect_dangling_link,
    detect_stale_cache, detect_library_outside, detect_nixos;

/*
 * The libcuda.so.1 that the dynamic linker's search leads to, as far as files and the environment
 * show. False: none.
 */
bool detect_searched_library(const struct system_info *info, char *path, size_t size);

/* diagnostics_system.c: the GPU, the kernel module and its device files; containers and WSL. */
detector detect_no_gpu, detect_passed_through, detect_nouveau, detect_no_module, detect_release,
    detect_compatibility, detect_no_device_file, detect_refused_device_file, detect_bare_container,
    detect_container_without_compute, detect_void_container, detect_wsl_1, detect_wsl_linux_driver,
    detect_wsl_without_driver, detect_wsl_without_device;

/* The GPUs that the driver numbers; 0: unknown, or some are partitioned. */
int diagnostics_numbered_gpus(const struct system_info *info);

#endif
