/* SPDX-License-Identifier: Apache-2.0 */
#include "src/tool/info/diagnostics_machine.h"
#include "src/base/text.h"
#include "src/tool/info/diagnostics.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char pci_devices[] = "/sys/bus/pci/devices/*";
static const char module_file[] = "/proc/driver/nvidia/version";

/* --- sandboxes --- */

/* In this order: an image for Docker keeps its file when Apptainer starts it. */
static const struct sign {
    enum machine_sandbox sandbox;
    const char *name; /* a file; after a $, a variable that is not empty */
    const char *part; /* of its content; NULL for any */
} signs[] = {
    {SANDBOX_FLATPAK, "/.flatpak-info", NULL},
    {SANDBOX_APPTAINER, "/.singularity.d", NULL},
    {SANDBOX_APPTAINER, "$APPTAINER_CONTAINER", NULL},
    {SANDBOX_APPTAINER, "$SINGULARITY_CONTAINER", NULL},
    {SANDBOX_TOOLBOX, "/run/.toolboxenv", NULL},
    {SANDBOX_SNAP, "$SNAP", NULL},
    {SANDBOX_CONTAINER, "/.dockerenv", NULL},
    {SANDBOX_CONTAINER, "/run/.containerenv", NULL},
    {SANDBOX_LXC, "$container", "lxc"},
    {SANDBOX_LXC, "$container", "systemd-nspawn"},
    {SANDBOX_CONTAINER, "$container", NULL},
    {SANDBOX_CONTAINER, "$KUBERNETES_SERVICE_HOST", NULL},
    {SANDBOX_LXC, "/run/systemd/container", "lxc"},
    {SANDBOX_LXC, "/run/systemd/container", "systemd-nspawn"},
    {SANDBOX_CONTAINER, "/run/systemd/container", "docker"},
    {SANDBOX_CONTAINER, "/run/systemd/container", "podman"},
    {SANDBOX_LXC, "/proc/1/cgroup", "/lxc"},
    {SANDBOX_CONTAINER, "/proc/1/cgroup", "/docker"},
    {SANDBOX_CONTAINER, "/proc/1/cgroup", "/kubepods"},
    {SANDBOX_CONTAINER, "/proc/1/cgroup", "containerd"},
    {SANDBOX_CONTAINER, "/proc/1/cgroup", "/libpod"},
};

/*
 * A snap of classic confinement, such as an editor with a terminal, passes its variables on to
 * programs outside of a sandbox. AppArmor enforces no profile on those.
 */
static bool is_classic_snap(const struct system_info *info)
{
    char label[128];

    return file_read(info, "/proc/self/attr/current", label, sizeof label) &&
           (strncmp(label, "unconfined", 10) == 0 || strstr(label, "(complain)"));
}

static bool is_present(const struct system_info *info, const struct sign *sign)
{
    char text[4096];
    const char *value = text;

    if (sign->sandbox == SANDBOX_SNAP && is_classic_snap(info))
        return false;
    if (sign->name[0] == '$') {
        value = getenv(sign->name + 1);
        return value && *value && (!sign->part || strstr(value, sign->part));
    }
    if (!sign->part)
        return file_exists(info, sign->name);
    return file_read(info, sign->name, text, sizeof text) && strstr(value, sign->part);
}

enum machine_sandbox machine_sandbox(const struct system_info *info, const char **sign)
{
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        if (is_present(info, &signs[i])) {
            *sign = signs[i].name;
            return signs[i].sandbox;
        }
    }
    *sign = NULL;
    return SANDBOX_NONE;
}

bool machine_is_container(enum machine_sandbox sandbox)
{
    return sandbox != SANDBOX_NONE && sandbox != SANDBOX_FLATPAK && sandbox != SANDBOX_SNAP;
}

bool machine_is_service(const struct system_info *info)
{
    char text[4096];

    return file_read(info, "/proc/self/cgroup", text, sizeof text) &&
           strstr(text, "/system.slice/") && strstr(text, ".service");
}

int machine_wsl(const struct system_info *info)
{
    char release[256];

    file_read(info, "/proc/sys/kernel/osrelease", release, sizeof release);
    /* Such as 4.4.0-19041-Microsoft or 5.15.90.1-microsoft-standard-WSL2. */
    if (strstr(release, "WSL2") || strstr(release, "microsoft-standard"))
        return 2;
    return strstr(release, "-Microsoft") ? 1 : 0;
}

bool machine_is_tegra(const struct system_info *info)
{
    size_t length = 0;
    char *models = file_read_all(info, "/sys/firmware/devicetree/base/compatible", &length);
    char family[32];
    bool is_tegra = file_exists(info, "/etc/nv_tegra_release") || file_exists(info, "/dev/nvmap");

    /* Strings such as nvidia,p3768-0000+p3767-0000 and nvidia,tegra234, each with a NUL. */
    for (size_t at = 0; models && at < length && models[length - 1] == '\0';
         at += strlen(models + at) + 1)
        is_tegra = is_tegra || strncmp(models + at, "nvidia,tegra", 12) == 0;
    free(models);
    file_read(info, "/sys/devices/soc0/family", family, sizeof family);
    return is_tegra || strncmp(family, "Tegra", 5) == 0;
}

bool machine_is_ordinary(const struct system_info *info)
{
    return machine_wsl(info) == 0 &&
           (!machine_is_tegra(info) || machine_pci_count(info, MACHINE_DISPLAY) > 0);
}

/* --- the PCI bus --- */

static void read_attribute(const struct system_info *info, const char *device, const char *name,
                           char text[16])
{
    char file[FILE_PATH_BYTES];

    snprintf(file, sizeof file, "%s/%s", device, name);
    file_read(info, file, text, 16);
}

static bool is_of_class(const struct system_info *info, const char *device, const char *class)
{
    char vendor[16], found[16];

    read_attribute(info, device, "vendor", vendor);
    read_attribute(info, device, "class", found);
    return strncmp(vendor, "0x10de", 6) == 0 && strncmp(found, class, strlen(class)) == 0;
}

struct pci_query {
    const char *class, *driver; /* the latter may be NULL */
    unsigned newest;            /* the highest device number */
};

static bool fits(const struct system_info *info, const char *device, void *data)
{
    struct pci_query *query = data;
    char resolved[FILE_PATH_BYTES], file[FILE_PATH_BYTES], text[16];
    const char *name;
    unsigned number;

    if (!is_of_class(info, device, query->class))
        return false;
    read_attribute(info, device, "device", text);
    number = (unsigned)strtoul(text, NULL, 16);
    if (number > query->newest)
        query->newest = number;
    if (!query->driver)
        return true;
    snprintf(file, sizeof file, "%s/driver", device);
    if (!file_resolve(info, file, resolved))
        return false;
    name = strrchr(resolved, '/');
    return strcmp(name ? name + 1 : resolved, query->driver) == 0;
}

int machine_pci_count(const struct system_info *info, const char *class)
{
    struct pci_query query = {.class = class};

    return file_count(info, pci_devices, NULL, NULL) > 0
               ? file_each(info, pci_devices, fits, &query)
               : -1;
}

int machine_gpus_of(const struct system_info *info, const char *driver)
{
    struct pci_query query = {.class = MACHINE_DISPLAY, .driver = driver};

    return file_each(info, pci_devices, fits, &query);
}

static bool is_lost(const struct system_info *info, const char *device)
{
    char file[FILE_PATH_BYTES], identity[5];

    snprintf(file, sizeof file, "%s/config", device);
    return is_of_class(info, device, MACHINE_DISPLAY) &&
           file_read(info, file, identity, sizeof identity) &&
           memcmp(identity, "\xff\xff\xff\xff", 4) == 0;
}

bool machine_has_lost_gpu(const struct system_info *info, char path[FILE_PATH_BYTES])
{
    return file_count(info, pci_devices, is_lost, path) > 0;
}

unsigned machine_newest_gpu(const struct system_info *info)
{
    struct pci_query query = {.class = MACHINE_DISPLAY};

    file_each(info, pci_devices, fits, &query);
    return query.newest;
}

/* --- the kernel module --- */

bool machine_has_module(const struct system_info *info)
{
    return file_exists(info, "/sys/module/nvidia") || file_exists(info, module_file);
}

bool machine_module_release(const struct system_info *info, char release[MACHINE_RELEASE_BYTES])
{
    char text[256];
    const char *start = text;

    if (file_read(info, "/sys/module/nvidia/version", release, MACHINE_RELEASE_BYTES)) {
        release[strcspn(release, " \n")] = '\0';
        return machine_is_release(release);
    }
    file_read(info, module_file, text, sizeof text);
    text[strcspn(text, "\n")] = '\0';
    /* Such as: NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.129.03  and a date. */
    while ((start = strchr(start, ' '))) {
        const size_t digits = strspn(++start, "0123456789.");
        if (digits > 0 && start[digits] == ' ' && memchr(start, '.', digits)) {
            snprintf(release, MACHINE_RELEASE_BYTES, "%.*s", (int)digits, start);
            return machine_is_release(release);
        }
    }
    return false;
}

bool machine_library_release(const struct system_info *info, char path[FILE_PATH_BYTES],
                             const char **release)
{
    static const char name[] = "/libcuda.so.";
    const char *found;

    *release = "";
    if (!info->report->library[0] || !file_resolve(info, info->report->library, path))
        return false;
    found = strstr(path, name);
    if (found && machine_is_release(found + strlen(name)))
        *release = found + strlen(name);
    return **release != '\0';
}

bool machine_module_is_open(const struct system_info *info)
{
    char text[256];

    return file_read(info, module_file, text, sizeof text) && strstr(text, "Open Kernel Module");
}

bool machine_is_release(const char *text)
{
    const size_t digits = strspn(text, "0123456789");

    return digits >= 3 && text[digits] == '.' && isdigit((unsigned char)text[digits + 1]) &&
           strspn(text, "0123456789.") == strlen(text);
}

int machine_compare_releases(const char *one, const char *other)
{
    while (*one || *other) {
        char *rest_one, *rest_other;
        const long part_one = strtol(one, &rest_one, 10),
                   part_other = strtol(other, &rest_other, 10);
        if (part_one != part_other)
            return part_one < part_other ? -1 : 1;
        one = rest_one + (*rest_one == '.');
        other = rest_other + (*rest_other == '.');
    }
    return 0;
}

/* --- its GPUs --- */

struct gpu_list {
    struct machine_gpu *gpus;
    int count;
};

/* The value of a line such as `Device Minor:<tab> 0`; empty if there is none. */
static void take_line(const char *text, const char *key, char *value, size_t size)
{
    const char *found = strstr(text, key);

    value[0] = '\0';
    if (!found)
        return;
    found += strlen(key);
    found += strspn(found, ": \t");
    snprintf(value, size, "%.*s", (int)strcspn(found, "\n"), found);
}

static bool take_gpu(const struct system_info *info, const char *folder, void *data)
{
    struct gpu_list *list = data;
    struct machine_gpu *gpu = &list->gpus[list->count];
    char path[FILE_PATH_BYTES], text[2048], number[16], excluded[8];

    if (list->count == MACHINE_MOST_GPUS)
        return false;
    list->count++;
    snprintf(gpu->address, sizeof gpu->address, "%s", strrchr(folder, '/') + 1);
    snprintf(path, sizeof path, "%s/information", folder);
    file_read(info, path, text, sizeof text);
    take_line(text, "Model:", gpu->model, sizeof gpu->model);
    take_line(text, "GPU UUID:", gpu->uuid, sizeof gpu->uuid);
    take_line(text, "Device Minor:", number, sizeof number);
    take_line(text, "GPU Excluded:", excluded, sizeof excluded);
    gpu->is_excluded = strncmp(excluded, "Yes", 3) == 0;
    gpu->minor = isdigit((unsigned char)number[0]) ? atoi(number) : -1;
    snprintf(path, sizeof path, "/dev/nvidia%d", gpu->minor);
    gpu->is_here =
        gpu->minor < 0 || (file_is_device(info, path) && file_open_error(info, path, true) == 0);
    return true;
}

int machine_gpus(const struct system_info *info, struct machine_gpu gpus[MACHINE_MOST_GPUS])
{
    struct gpu_list list = {gpus, 0};

    file_each(info, "/proc/driver/nvidia/gpus/*", take_gpu, &list);
    return list.count;
}

/* --- for a report --- */

static const char *const sandbox_names[] = {
    [SANDBOX_CONTAINER] = "a container",
    [SANDBOX_APPTAINER] = "a container of Apptainer",
    [SANDBOX_TOOLBOX] = "a container of toolbox or Distrobox",
    [SANDBOX_LXC] = "a container of LXC, Incus or systemd-nspawn",
    [SANDBOX_FLATPAK] = "a Flatpak",
    [SANDBOX_SNAP] = "a snap",
};

/* systemd creates the first folder if it is the first process, the second in a container. */
static bool is_host(const struct system_info *info)
{
    return file_exists(info, "/run/systemd/system") && !file_exists(info, "/run/systemd/container");
}

bool diagnostics_machine(const struct system_info *info, char *buffer, size_t size)
{
    const char *sign, *library;
    const enum machine_sandbox sandbox = machine_sandbox(info, &sign);
    const int wsl = machine_wsl(info);
    char release[MACHINE_RELEASE_BYTES], path[FILE_PATH_BYTES];
    struct cushim__text text;

    cushim__text_begin(&text, buffer, size);
    if (sandbox != SANDBOX_NONE)
        cushim__text_format(&text, "%s (%s shows it)", sandbox_names[sandbox], sign);
    else if (is_host(info))
        cushim__text_add(&text, wsl ? "no container" : "the host, no container");
    if (wsl)
        cushim__text_format(&text, "%sWSL %d", text.length ? ", " : "", wsl);
    else if (machine_is_tegra(info))
        cushim__text_format(&text, "%sa Tegra", text.length ? ", " : "");
    if (machine_module_release(info, release))
        cushim__text_format(&text, "%skernel module %s", text.length ? "; " : "", release);
    if (machine_library_release(info, path, &library))
        cushim__text_format(&text, "%slibrary %s", text.length ? "; " : "", library);
    return text.length > 0;
}
