/* SPDX-License-Identifier: Apache-2.0 */
#include "src/tool/detect_kernel.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/tool/files.h"

enum { RELEASE_BYTES = 64 };

/* Whether this is a machine whose GPUs stand on the PCI bus under a kernel module of their own. */
static bool is_ordinary(const struct system_info *info)
{
    return system_info_wsl(info) == 0 && !system_info_is_tegra(info);
}

bool detect_no_gpu(const struct system_info *info, struct evidence *evidence)
{
    return is_ordinary(info) && system_info_gpus(info) == 0 && !system_info_has_module(info) &&
           evidence_set(evidence, "none of the devices in /sys/bus/pci/devices is one");
}

struct bound {
    const struct system_info *info;
    const char *driver;
    int count;
};

static bool count_bound(void *data, const char *path)
{
    struct bound *bound = data;
    char resolved[FILES_PATH_BYTES], file[FILES_PATH_BYTES];
    const char *name;

    snprintf(file, sizeof file, "%s/driver", path);
    if (!system_info_is_gpu(bound->info, path) ||
        !files_resolve(bound->info->root, file, resolved, sizeof resolved))
        return false;
    name = strrchr(resolved, '/');
    bound->count += strcmp(name ? name + 1 : resolved, bound->driver) == 0;
    return false;
}

/* How many of NVIDIA's GPUs on the PCI bus a kernel driver has. */
static int gpus_of(const struct system_info *info, const char *driver)
{
    struct bound bound = {.info = info, .driver = driver};

    files_each(info->root, "/sys/bus/pci/devices/*", count_bound, &bound);
    return bound.count;
}

bool detect_passed_through(const struct system_info *info, struct evidence *evidence)
{
    const int gpus = system_info_gpus(info);

    return gpus > 0 && gpus_of(info, "vfio-pci") == gpus &&
           evidence_set(evidence, "the kernel driver vfio-pci has %s",
                        gpus == 1 ? "the only GPU" : "all GPUs");
}

bool detect_nouveau(const struct system_info *info, struct evidence *evidence)
{
    const int gpus = gpus_of(info, "nouveau");

    return gpus > 0 && !system_info_has_module(info) &&
           evidence_set(evidence, "the kernel driver nouveau has %d GPU%s", gpus,
                        gpus == 1 ? "" : "s");
}

/* Whether the firmware lets only signed modules in. */
static bool has_secure_boot(const struct system_info *info)
{
    static const char variable[] =
        "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";
    char value[8] = {0}; /* four bytes of attributes, and it */

    return files_read(info->root, variable, value, sizeof value) && value[4] == 1;
}

bool detect_no_module(const struct system_info *info, struct evidence *evidence)
{
    struct evidence other;

    return is_ordinary(info) && system_info_has(info, "/sys/module") &&
           system_info_gpus(info) != 0 && !system_info_has_module(info) &&
           !detect_nouveau(info, &other) && !detect_passed_through(info, &other) &&
           evidence_set(evidence, "/sys/module/nvidia is not there%s",
                        has_secure_boot(info) ? "; Secure Boot is on" : "");
}

/* The release of the loaded kernel module, such as 535.129.03. */
static bool module_release(const struct system_info *info, char *release)
{
    char text[256];
    const char *start = text;

    if (files_read(info->root, "/sys/module/nvidia/version", release, RELEASE_BYTES)) {
        release[strcspn(release, " \n")] = '\0';
        return isdigit((unsigned char)release[0]) != 0;
    }
    files_read(info->root, "/proc/driver/nvidia/version", text, sizeof text);
    text[strcspn(text, "\n")] = '\0';
    /* NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.129.03  and a date. */
    while ((start = strchr(start, ' '))) {
        const size_t digits = strspn(++start, "0123456789.");
        if (digits > 0 && start[digits] == ' ' && memchr(start, '.', digits)) {
            snprintf(release, RELEASE_BYTES, "%.*s", (int)digits, start);
            return true;
        }
    }
    return false;
}

/* The release in the name of the loaded library's file, such as libcuda.so.535.129.03. */
static bool library_release(const struct system_info *info, char *path, size_t size,
                            const char **release)
{
    static const char name[] = "/libcuda.so.";
    const char *found;

    if (!info->report->library[0] || !files_resolve(info->root, info->report->library, path, size))
        return false;
    found = strstr(path, name);
    *release = found ? found + strlen(name) : "";
    return strchr(*release, '.') && isdigit((unsigned char)(*release)[0]);
}

static bool is_compatibility(const char *path)
{
    return strstr(path, "/compat/") || strstr(path, "/cuda-compat");
}

bool detect_release(const struct system_info *info, struct evidence *evidence)
{
    char module[RELEASE_BYTES], path[FILES_PATH_BYTES];
    const char *release;

    return library_release(info, path, sizeof path, &release) && !is_compatibility(path) &&
           !is_compatibility(info->report->library) && module_release(info, module) &&
           strcmp(module, release) != 0 &&
           evidence_set(evidence, "the kernel module is %s, the library %.300s", module, path);
}

bool detect_compatibility(const struct system_info *info, struct evidence *evidence)
{
    const char *library = info->report->library;
    char path[FILES_PATH_BYTES] = "", module[RELEASE_BYTES];

    if (info->report->code != CUDA_ERROR_SYSTEM_DRIVER_MISMATCH &&
        info->report->code != CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE)
        return false;
    files_resolve(info->root, library, path, sizeof path);
    if (!is_compatibility(library) && !is_compatibility(path))
        return false;
    if (!module_release(info, module))
        return evidence_set(evidence, "the library is %.300s", path[0] ? path : library);
    return evidence_set(evidence, "the library is %.300s, the kernel module %s",
                        path[0] ? path : library, module);
}

/* Without the first two no process uses CUDA, nor without one for a GPU, named by its number. */
static const char *const device_files[] = {
    "/dev/nvidiactl",
    "/dev/nvidia-uvm",
    "/dev/nvidia[0-9]*",
};

bool detect_no_device_file(const struct system_info *info, struct evidence *evidence)
{
    if (!is_ordinary(info) || !system_info_has_module(info))
        return false;
    for (size_t i = 0; i < sizeof device_files / sizeof device_files[0]; i++) {
        if (!system_info_has_device(info, device_files[i]))
            return evidence_set(evidence, "%s is not there", device_files[i]);
    }
    return false;
}

struct refusal {
    const struct system_info *info;
    struct evidence *evidence;
};

static bool visit_refused(void *data, const char *path)
{
    const struct refusal *refusal = data;
    const char *why;

    return files_is_device(refusal->info->root, path) &&
           files_is_refused(refusal->info->root, path, &why) &&
           evidence_set(refusal->evidence, "%s: %s", path, why);
}

bool detect_refused_device_file(const struct system_info *info, struct evidence *evidence)
{
    struct refusal refusal = {.info = info, .evidence = evidence};

    for (size_t i = 0; i < sizeof device_files / sizeof device_files[0]; i++) {
        if (files_each(info->root, device_files[i], visit_refused, &refusal))
            return true;
    }
    return files_each(info->root, "/dev/dxg", visit_refused, &refusal);
}

bool detect_hidden_gpus(const struct system_info *info, struct evidence *evidence)
{
    const char *value = getenv("CUDA_VISIBLE_DEVICES");
    const int gpus = system_info_count(info, "/proc/driver/nvidia/gpus/*");
    const char *first;

    if (!value || info->report->state != CUSHIM_STATE_NO_DEVICE)
        return false;
    first = value + strspn(value, " ");
    if (!*first)
        return evidence_set(evidence, "CUDA_VISIBLE_DEVICES is set and empty");
    /* Numbers may count what a GPU is partitioned into. */
    if (isdigit((unsigned char)*first))
        return gpus > 0 &&
               system_info_count(info, "/proc/driver/nvidia/capabilities/gpu*/mig/gi*") == 0 &&
               strtol(first, NULL, 10) >= gpus &&
               evidence_set(evidence, "CUDA_VISIBLE_DEVICES=%.160s, and the driver has %d GPU%s",
                            value, gpus, gpus == 1 ? "" : "s");
    /* A UUID may be the right one. Any other word names no GPU, and what follows is not read. */
    return strncmp(first, "GPU-", 4) != 0 && strncmp(first, "MIG-", 4) != 0 &&
           evidence_set(evidence, "CUDA_VISIBLE_DEVICES=%.160s", value);
}
