/* SPDX-License-Identifier: Apache-2.0 */
#include "src/tool/system_info.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/tool/files.h"

bool evidence_set(struct evidence *evidence, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(evidence->text, sizeof evidence->text, format, arguments);
    va_end(arguments);
    return true;
}

void evidence_advise(struct evidence *evidence, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(evidence->advice, sizeof evidence->advice, format, arguments);
    va_end(arguments);
}

bool try_driver(const struct system_info *info, const char *path, struct probe_result *probe)
{
    char library[PROBE_PATH_BYTES];
    const struct probe_options options = {
        .command = info->command, .library = library, .timeout_ns = info->seconds * 1000000000};

    *probe = (struct probe_result){0};
    return info->command &&
           snprintf(library, sizeof library, "%s%s", info->root, path) < (int)sizeof library &&
           probe_run(&options, probe) == CUDA_SUCCESS && probe->stage == PROBE_STAGE_DONE &&
           probe->driver_version > 0;
}

bool system_info_has(const struct system_info *info, const char *path)
{
    return files_exists(info->root, path);
}

/* The control groups of the first process, where the container's manager has named them. */
static const char *container_of_groups(const struct system_info *info)
{
    static const char *const names[] = {"/docker", "/kubepods", "containerd", "/libpod", "/lxc"};
    char groups[4096];

    files_read(info->root, "/proc/1/cgroup", groups, sizeof groups);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strstr(groups, names[i]))
            return "/proc/1/cgroup";
    }
    return NULL;
}

const char *system_info_container(const struct system_info *info)
{
    static const char *const files[] = {"/.dockerenv", "/run/.containerenv", "/.singularity.d"};
    const char *manager = getenv("container");

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        if (system_info_has(info, files[i]))
            return files[i];
    }
    if (manager && *manager)
        return "the variable container";
    if (getenv("KUBERNETES_SERVICE_HOST"))
        return "the variable KUBERNETES_SERVICE_HOST";
    return container_of_groups(info);
}

int system_info_wsl(const struct system_info *info)
{
    char release[256];

    files_read(info->root, "/proc/sys/kernel/osrelease", release, sizeof release);
    /* 4.4.0-19041-Microsoft; 5.15.90.1-microsoft-standard-WSL2 */
    if (strstr(release, "WSL2") || strstr(release, "microsoft-standard"))
        return 2;
    return strstr(release, "-Microsoft") ? 1 : 0;
}

bool system_info_is_tegra(const struct system_info *info)
{
    return system_info_has(info, "/etc/nv_tegra_release") || system_info_has(info, "/dev/nvmap");
}

bool system_info_is_gpu(const struct system_info *info, const char *device)
{
    char file[FILES_PATH_BYTES], vendor[16], class[16];

    snprintf(file, sizeof file, "%s/vendor", device);
    files_read(info->root, file, vendor, sizeof vendor);
    snprintf(file, sizeof file, "%s/class", device);
    files_read(info->root, file, class, sizeof class);
    /* Vendor NVIDIA, class display controller: VGA or 3D. */
    return strncmp(vendor, "0x10de", 6) == 0 && strncmp(class, "0x03", 4) == 0;
}

struct bus {
    const struct system_info *info;
    int devices;
    int gpus;
};

static bool count_device(void *data, const char *path)
{
    struct bus *bus = data;

    bus->devices++;
    bus->gpus += system_info_is_gpu(bus->info, path);
    return false;
}

int system_info_gpus(const struct system_info *info)
{
    struct bus bus = {.info = info};

    files_each(info->root, "/sys/bus/pci/devices/*", count_device, &bus);
    return bus.devices ? bus.gpus : -1;
}

bool system_info_has_module(const struct system_info *info)
{
    return system_info_has(info, "/sys/module/nvidia") ||
           system_info_has(info, "/proc/driver/nvidia/version");
}

static bool visit_device(void *data, const char *path)
{
    const struct system_info *info = data;

    return files_is_device(info->root, path);
}

bool system_info_has_device(const struct system_info *info, const char *pattern)
{
    struct system_info same = *info;

    return files_each(info->root, pattern, visit_device, &same);
}

static bool count_path(void *data, const char *path)
{
    (void)path;
    ++*(int *)data;
    return false;
}

int system_info_count(const struct system_info *info, const char *pattern)
{
    int count = 0;

    files_each(info->root, pattern, count_path, &count);
    return count;
}
