/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Diagnostics: causes that keep CUDA from working, as far as files, the environment and the report
 * prove them. The report says what failed; a diagnostic says why.
 *
 * Each is a row in diagnostics.tsv: a name for programs, the states of the driver in which it
 * matters, a detector, what it means and what to do.
 */
#ifndef CUSHIM_TOOL_INFO_DIAGNOSTICS_H
#define CUSHIM_TOOL_INFO_DIAGNOSTICS_H

#include "src/tool/base/output.h"
#include "src/tool/info/diagnostics_files.h"

/* What a detector has found, in one line, and advice if that depends on what was found. */
struct evidence {
    char text[CUSHIM_REPORT_MESSAGE_BYTES];
    char advice[CUSHIM_REPORT_MESSAGE_BYTES];
};

/* A detector returns whether its cause is present, and writes the evidence. */
typedef bool detector(const struct system_info *info, struct evidence *evidence);

struct diagnostic {
    const char *name;      /* for programs, so it keeps its meaning */
    unsigned when;         /* states of the driver, as bits */
    const CUresult *codes; /* what cuInit must have returned, ending with 0; NULL for anything */
    detector *detect;      /* NULL if this system has none */
    const char *message;
    const char *advice; /* NULL if the evidence has it */
};

extern const struct diagnostic diagnostics[]; /* ends with a NULL name */

struct diagnosis {
    const struct diagnostic *row;
    struct evidence evidence;
};

enum { DIAGNOSTICS_MOST = 48 };

struct diagnoses {
    struct diagnosis list[DIAGNOSTICS_MOST];
    int count;
};

/* Run all detectors. */
void diagnostics_find(const struct system_info *info, struct diagnoses *diagnoses);

/*
 * The advice of the first diagnosis that explains why the driver does not work, which knows more
 * than the report's; NULL if there is none.
 */
const char *diagnostics_advice(const struct diagnoses *diagnoses);

/* Print them: a paragraph for each, or all as the member "diagnostics". */
void diagnostics_print(const struct diagnoses *diagnoses);
void diagnostics_json(const struct diagnoses *diagnoses, struct json *json);

/*
 * Where this process runs: in a container, another sandbox or on the host, and the releases of the
 * kernel module and the library. Returns false, with an empty text, if none of these is known.
 */
bool diagnostics_machine(const struct system_info *info, char *text, size_t size);

/* --- For the detectors --- */

/* Write the evidence. Returns true, which a detector can pass on. */
#if defined(__GNUC__)
__attribute__((format(__printf__, 2, 3)))
#endif
bool evidence_set(struct evidence *evidence, const char *format, ...);

/* The same for its advice. */
#if defined(__GNUC__)
__attribute__((format(__printf__, 2, 3)))
#endif
void evidence_advise(struct evidence *evidence, const char *format, ...);

/* diagnostics.c: for every operating system. */
detector detect_hidden_gpus, detect_interposed;

/* diagnostics_library.c: the dynamic linker's search, and the driver's library. */
detector detect_stub_folder, detect_shadowed_driver, detect_link_missing, detect_link_name_only,
    detect_dangling_link, detect_stale_cache, detect_library_outside, detect_nixos;

/* diagnostics_module.c: the kernel modules, and whether the library fits them. */
detector detect_no_module, detect_no_driver, detect_library_missing, detect_release,
    detect_compatibility, detect_hmm, detect_suspend;

/* diagnostics_gpu.c: GPUs and their device files. */
detector detect_no_gpu, detect_powered_off, detect_passed_through, detect_nouveau,
    detect_fabric_manager, detect_vgpu_type, detect_not_started, detect_no_device_file,
    detect_refused_device_file, detect_mig, detect_lost, detect_excluded, detect_tegra_failure;

/* diagnostics_sandbox.c: containers, other sandboxes and WSL. */
detector detect_bare_container, detect_container_without_compute, detect_void_container,
    detect_sandbox_without_driver, detect_wsl_1, detect_wsl_linux_driver, detect_wsl_without_driver,
    detect_wsl_without_device, detect_wsl_container_library, detect_wsl_failure;

/* diagnostics_windows.c, which also has the functions below. */
detector detect_host_driver;

/*
 * The libcuda.so.1 that the dynamic linker's search leads to, as far as files and the environment
 * show. Returns false if there is none.
 */
bool detect_searched_library(const struct system_info *info, char *path, size_t size);

/* Whether the search leads to an empty file or a folder; then `path` receives it. */
bool search_meets_empty(const struct system_info *info, char path[FILE_PATH_BYTES]);

/* Whether the search passes over a file for another processor or word size. */
bool search_meets_architecture(const struct system_info *info, struct evidence *evidence);

/*
 * Whether CUDA_VISIBLE_DEVICES, whose first entry is a number or a UUID, names no GPU of this
 * process, as far as files show.
 */
bool diagnostics_names_no_gpu(const struct system_info *info, const char *value, const char *first,
                              struct evidence *evidence);

#endif
