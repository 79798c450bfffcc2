/* SPDX-License-Identifier: Apache-2.0 */
#include "src/tool/trap_scene.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "src/tool/files.h"

bool trap_tell(struct trap_evidence *evidence, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(evidence->text, sizeof evidence->text, format, arguments);
    va_end(arguments);
    return true;
}

void trap_advise(struct trap_evidence *evidence, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(evidence->advice, sizeof evidence->advice, format, arguments);
    va_end(arguments);
}

bool trap_try_driver(const struct trap_scene *scene, const char *path, struct probe_result *probe)
{
    char library[PROBE_PATH_BYTES];
    const struct probe_options options = {
        .command = scene->command, .library = library, .timeout_ns = scene->seconds * 1000000000};

    *probe = (struct probe_result){0};
    return scene->command &&
           snprintf(library, sizeof library, "%s%s", scene->root, path) < (int)sizeof library &&
           probe_run(&options, probe) == CUDA_SUCCESS && probe->stage == PROBE_STAGE_DONE &&
           probe->driver_version > 0;
}

const char *trap_variable(const struct trap_scene *scene, const char *name)
{
    return scene->variable(name);
}

bool trap_has(const struct trap_scene *scene, const char *path)
{
    return files_exists(scene->root, path);
}

/* The control groups of the first process, where the container's manager has named them. */
static const char *container_of_groups(const struct trap_scene *scene)
{
    static const char *const names[] = {"/docker", "/kubepods", "containerd", "/libpod", "/lxc"};
    char groups[4096];

    files_read(scene->root, "/proc/1/cgroup", groups, sizeof groups);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strstr(groups, names[i]))
            return "/proc/1/cgroup";
    }
    return NULL;
}

const char *trap_container(const struct trap_scene *scene)
{
    static const char *const files[] = {"/.dockerenv", "/run/.containerenv", "/.singularity.d"};
    const char *manager = trap_variable(scene, "container");

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        if (trap_has(scene, files[i]))
            return files[i];
    }
    if (manager && *manager)
        return "the variable container";
    if (trap_variable(scene, "KUBERNETES_SERVICE_HOST"))
        return "the variable KUBERNETES_SERVICE_HOST";
    return container_of_groups(scene);
}

int trap_wsl(const struct trap_scene *scene)
{
    char release[256];

    files_read(scene->root, "/proc/sys/kernel/osrelease", release, sizeof release);
    /* 4.4.0-19041-Microsoft; 5.15.90.1-microsoft-standard-WSL2 */
    if (strstr(release, "WSL2") || strstr(release, "microsoft-standard"))
        return 2;
    return strstr(release, "-Microsoft") ? 1 : 0;
}

bool trap_is_tegra(const struct trap_scene *scene)
{
    return trap_has(scene, "/etc/nv_tegra_release") || trap_has(scene, "/dev/nvmap");
}

bool trap_is_gpu(const struct trap_scene *scene, const char *device)
{
    char file[FILES_PATH_BYTES], vendor[16], class[16];

    snprintf(file, sizeof file, "%s/vendor", device);
    files_read(scene->root, file, vendor, sizeof vendor);
    snprintf(file, sizeof file, "%s/class", device);
    files_read(scene->root, file, class, sizeof class);
    /* Vendor NVIDIA, class display controller: VGA or 3D. */
    return strncmp(vendor, "0x10de", 6) == 0 && strncmp(class, "0x03", 4) == 0;
}

struct bus {
    const struct trap_scene *scene;
    int devices;
    int gpus;
};

static bool count_device(void *data, const char *path)
{
    struct bus *bus = data;

    bus->devices++;
    bus->gpus += trap_is_gpu(bus->scene, path);
    return false;
}

int trap_gpus(const struct trap_scene *scene)
{
    struct bus bus = {.scene = scene};

    files_each(scene->root, "/sys/bus/pci/devices/*", count_device, &bus);
    return bus.devices ? bus.gpus : -1;
}

bool trap_has_module(const struct trap_scene *scene)
{
    return trap_has(scene, "/sys/module/nvidia") || trap_has(scene, "/proc/driver/nvidia/version");
}

static bool visit_device(void *data, const char *path)
{
    const struct trap_scene *scene = data;

    return files_is_device(scene->root, path);
}

bool trap_has_device(const struct trap_scene *scene, const char *pattern)
{
    struct trap_scene same = *scene;

    return files_each(scene->root, pattern, visit_device, &same);
}

static bool count_path(void *data, const char *path)
{
    (void)path;
    ++*(int *)data;
    return false;
}

int trap_count(const struct trap_scene *scene, const char *pattern)
{
    int count = 0;

    files_each(scene->root, pattern, count_path, &count);
    return count;
}
