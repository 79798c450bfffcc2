/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Detectors of what is wrong between the driver's library and the GPU: the kernel module, its
 * device files, what else uses or hides the GPU, and what a container or the Windows Subsystem for
 * Linux lacks.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/tool/diagnostics.h"

enum { RELEASE_BYTES = 64 };

static const char pci_devices[] = "/sys/bus/pci/devices/*";
static const char wsl_library[] = "/usr/lib/wsl/lib/libcuda.so.1";
static const char wsl_device[] = "/dev/dxg";

/* The file of the first process's control groups, if it names a container's manager; or NULL. */
static const char *container_of_groups(const struct system_info *info)
{
    static const char *const names[] = {"/docker", "/kubepods", "containerd", "/libpod", "/lxc"};
    char groups[4096];

    file_read(info, "/proc/1/cgroup", groups, sizeof groups);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strstr(groups, names[i]))
            return "/proc/1/cgroup";
    }
    return NULL;
}

/* The file or the variable that shows that this is a container; NULL if nothing does. */
static const char *container_sign(const struct system_info *info)
{
    static const char *const files[] = {"/.dockerenv", "/run/.containerenv", "/.singularity.d"};
    const char *manager = getenv("container");

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        if (file_exists(info, files[i]))
            return files[i];
    }
    if (manager && *manager)
        return "the variable container";
    if (getenv("KUBERNETES_SERVICE_HOST"))
        return "the variable KUBERNETES_SERVICE_HOST";
    return container_of_groups(info);
}

/* The version of the Windows Subsystem for Linux; 0 for any other kernel. */
static int wsl_version(const struct system_info *info)
{
    char release[256];

    file_read(info, "/proc/sys/kernel/osrelease", release, sizeof release);
    /* Such as 4.4.0-19041-Microsoft or 5.15.90.1-microsoft-standard-WSL2. */
    if (strstr(release, "WSL2") || strstr(release, "microsoft-standard"))
        return 2;
    return strstr(release, "-Microsoft") ? 1 : 0;
}

/* Whether GPUs are on the PCI bus under a kernel module of their own: not on WSL or Jetson. */
static bool is_ordinary(const struct system_info *info)
{
    return wsl_version(info) == 0 && !file_exists(info, "/etc/nv_tegra_release") &&
           !file_exists(info, "/dev/nvmap");
}

/* Whether a device of the PCI bus, given by its folder, is an NVIDIA GPU. */
static bool is_gpu(const struct system_info *info, const char *device)
{
    char file[FILE_PATH_BYTES], vendor[16], class[16];

    snprintf(file, sizeof file, "%s/vendor", device);
    file_read(info, file, vendor, sizeof vendor);
    snprintf(file, sizeof file, "%s/class", device);
    file_read(info, file, class, sizeof class);
    /* Vendor NVIDIA, class display controller: VGA or 3D. */
    return strncmp(vendor, "0x10de", 6) == 0 && strncmp(class, "0x03", 4) == 0;
}

/* The number of NVIDIA GPUs on the PCI bus; negative if no such bus is visible here. */
static int count_gpus(const struct system_info *info)
{
    return file_count(info, pci_devices, NULL, NULL) > 0
               ? file_count(info, pci_devices, is_gpu, NULL)
               : -1;
}

/* Whether the nvidia kernel module is loaded. */
static bool has_module(const struct system_info *info)
{
    return file_exists(info, "/sys/module/nvidia") ||
           file_exists(info, "/proc/driver/nvidia/version");
}

bool detect_no_gpu(const struct system_info *info, struct evidence *evidence)
{
    return is_ordinary(info) && count_gpus(info) == 0 && !has_module(info) &&
           evidence_set(evidence, "none of the devices in /sys/bus/pci/devices is one");
}

int diagnostics_numbered_gpus(const struct system_info *info)
{
    static const char instances[] = "/proc/driver/nvidia/capabilities/gpu*/mig/gi*";

    return file_count(info, instances, NULL, NULL) == 0
               ? file_count(info, "/proc/driver/nvidia/gpus/*", NULL, NULL)
               : 0;
}

/* Whether a device of the PCI bus is a GPU that this kernel driver uses. */
static bool is_used_by(const struct system_info *info, const char *device, const char *driver)
{
    char resolved[FILE_PATH_BYTES], file[FILE_PATH_BYTES];
    const char *name;

    snprintf(file, sizeof file, "%s/driver", device);
    if (!is_gpu(info, device) || !file_resolve(info, file, resolved))
        return false;
    name = strrchr(resolved, '/');
    return strcmp(name ? name + 1 : resolved, driver) == 0;
}

static bool is_used_by_vfio(const struct system_info *info, const char *device)
{
    return is_used_by(info, device, "vfio-pci");
}

static bool is_used_by_nouveau(const struct system_info *info, const char *device)
{
    return is_used_by(info, device, "nouveau");
}

bool detect_passed_through(const struct system_info *info, struct evidence *evidence)
{
    const int gpus = count_gpus(info);

    return gpus > 0 && file_count(info, pci_devices, is_used_by_vfio, NULL) == gpus &&
           evidence_set(evidence, "the kernel driver vfio-pci has %s",
                        gpus == 1 ? "the only GPU" : "all GPUs");
}

bool detect_nouveau(const struct system_info *info, struct evidence *evidence)
{
    const int gpus = file_count(info, pci_devices, is_used_by_nouveau, NULL);

    return gpus > 0 && !has_module(info) &&
           evidence_set(evidence, "the kernel driver nouveau has %d GPU%s", gpus,
                        gpus == 1 ? "" : "s");
}

/* Whether the firmware allows only signed modules. */
static bool has_secure_boot(const struct system_info *info)
{
    static const char variable[] =
        "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";
    char value[8] = {0}; /* four bytes of attributes, then the value */

    return file_read(info, variable, value, sizeof value) && value[4] == 1;
}

bool detect_no_module(const struct system_info *info, struct evidence *evidence)
{
    struct evidence other;

    return is_ordinary(info) && file_exists(info, "/sys/module") && count_gpus(info) != 0 &&
           !has_module(info) && !detect_nouveau(info, &other) &&
           !detect_passed_through(info, &other) &&
           evidence_set(evidence, "/sys/module/nvidia is not there%s",
                        has_secure_boot(info) ? "; Secure Boot is on" : "");
}

/* The release of the loaded kernel module, such as 535.129.03. */
static bool module_release(const struct system_info *info, char *release)
{
    char text[256];
    const char *start = text;

    if (file_read(info, "/sys/module/nvidia/version", release, RELEASE_BYTES)) {
        release[strcspn(release, " \n")] = '\0';
        return isdigit((unsigned char)release[0]) != 0;
    }
    file_read(info, "/proc/driver/nvidia/version", text, sizeof text);
    text[strcspn(text, "\n")] = '\0';
    /* Such as: NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.129.03  and a date. */
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
static bool library_release(const struct system_info *info, char *path, const char **release)
{
    static const char name[] = "/libcuda.so.";
    const char *found;

    if (!info->report->library[0] || !file_resolve(info, info->report->library, path))
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
    char module[RELEASE_BYTES], path[FILE_PATH_BYTES];
    const char *release;

    return library_release(info, path, &release) && !is_compatibility(path) &&
           !is_compatibility(info->report->library) && module_release(info, module) &&
           strcmp(module, release) != 0 &&
           evidence_set(evidence, "the kernel module is %s, the library %.300s", module, path);
}

bool detect_compatibility(const struct system_info *info, struct evidence *evidence)
{
    const char *library = info->report->library;
    char path[FILE_PATH_BYTES] = "", module[RELEASE_BYTES];

    if (info->report->code != CUDA_ERROR_SYSTEM_DRIVER_MISMATCH &&
        info->report->code != CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE)
        return false;
    file_resolve(info, library, path);
    if (!is_compatibility(library) && !is_compatibility(path))
        return false;
    if (!module_release(info, module))
        return evidence_set(evidence, "the library is %.300s", path[0] ? path : library);
    return evidence_set(evidence, "the library is %.300s, the kernel module %s",
                        path[0] ? path : library, module);
}

/* A process needs the first two to use CUDA, and one for a GPU, which is named by its number. */
static const char *const device_files[] = {
    "/dev/nvidiactl",
    "/dev/nvidia-uvm",
    "/dev/nvidia[0-9]*",
};

bool detect_no_device_file(const struct system_info *info, struct evidence *evidence)
{
    if (!is_ordinary(info) || !has_module(info))
        return false;
    for (size_t i = 0; i < sizeof device_files / sizeof device_files[0]; i++) {
        if (file_count(info, device_files[i], file_is_device, NULL) == 0)
            return evidence_set(evidence, "%s is not there", device_files[i]);
    }
    return false;
}

static bool is_refused(const struct system_info *info, const char *path)
{
    const int error = file_is_device(info, path) ? file_open_error(info, path) : 0;

    return error == EACCES || error == EPERM;
}

bool detect_refused_device_file(const struct system_info *info, struct evidence *evidence)
{
    char path[FILE_PATH_BYTES];

    for (size_t i = 0; i < sizeof device_files / sizeof device_files[0]; i++) {
        if (file_count(info, device_files[i], is_refused, path) > 0)
            return evidence_set(evidence, "%s: %s", path, strerror(file_open_error(info, path)));
    }
    return is_refused(info, wsl_device) &&
           evidence_set(evidence, "%s: %s", wsl_device,
                        strerror(file_open_error(info, wsl_device)));
}

/* Whether a word is in a comma-separated list. */
static bool has_word(const char *list, const char *word)
{
    while (*list) {
        const size_t length = strcspn(list, ",");
        if (length == strlen(word) && strncmp(list, word, length) == 0)
            return true;
        list += length + (list[length] != '\0');
    }
    return false;
}

/* Whether the container has been given GPUs. The file alone may have been made by a library. */
static bool has_devices(const struct system_info *info)
{
    return has_module(info) && file_is_device(info, "/dev/nvidiactl");
}

bool detect_bare_container(const struct system_info *info, struct evidence *evidence)
{
    const char *sign = container_sign(info);

    /* If the machine has no GPU, the container cannot have one. */
    return sign && !has_devices(info) && count_gpus(info) != 0 &&
           evidence_set(evidence, "%s shows a container; no /dev/nvidiactl works here", sign);
}

bool detect_container_without_compute(const struct system_info *info, struct evidence *evidence)
{
    const char *sign = container_sign(info);
    const char *asked = getenv("NVIDIA_DRIVER_CAPABILITIES");

    if (!sign || !has_devices(info))
        return false;
    if (asked && *asked && !has_word(asked, "all") && !has_word(asked, "compute"))
        return evidence_set(evidence,
                            "%s shows a container; /dev/nvidiactl is there; "
                            "NVIDIA_DRIVER_CAPABILITIES=%.160s",
                            sign, asked);
    return evidence_set(evidence, "%s shows a container; /dev/nvidiactl is there", sign);
}

bool detect_void_container(const struct system_info *info, struct evidence *evidence)
{
    const char *devices = getenv("NVIDIA_VISIBLE_DEVICES");

    return devices && container_sign(info) && !has_devices(info) &&
           (strcmp(devices, "void") == 0 || strcmp(devices, "none") == 0) &&
           evidence_set(evidence, "NVIDIA_VISIBLE_DEVICES=%s", devices);
}

bool detect_wsl_1(const struct system_info *info, struct evidence *evidence)
{
    return wsl_version(info) == 1 &&
           evidence_set(evidence, "/proc/sys/kernel/osrelease names the kernel of WSL 1");
}

bool detect_wsl_linux_driver(const struct system_info *info, struct evidence *evidence)
{
    char path[FILE_PATH_BYTES];

    return wsl_version(info) == 2 && file_exists(info, wsl_library) && info->report->library[0] &&
           file_resolve(info, info->report->library, path) &&
           strncmp(path, "/usr/lib/wsl/", strlen("/usr/lib/wsl/")) != 0 &&
           evidence_set(evidence, "%.240s was loaded, not %s", path, wsl_library);
}

bool detect_wsl_without_driver(const struct system_info *info, struct evidence *evidence)
{
    return wsl_version(info) == 2 && !container_sign(info) && !file_exists(info, wsl_library) &&
           evidence_set(evidence, "%s is not there", wsl_library);
}

bool detect_wsl_without_device(const struct system_info *info, struct evidence *evidence)
{
    return wsl_version(info) == 2 && !file_exists(info, wsl_device) &&
           evidence_set(evidence, "%s is not there", wsl_device);
}
