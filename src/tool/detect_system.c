/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What lies between the driver's library and the GPU: the kernel module, its device files, and what
 * else uses or hides the GPU; and what a container and the Windows Subsystem for Linux lack.
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

bool detect_no_gpu(const struct system_info *info, struct evidence *evidence)
{
    return system_info_is_ordinary(info) && system_info_gpus(info) == 0 &&
           !system_info_has_module(info) &&
           evidence_set(evidence, "none of the devices in /sys/bus/pci/devices is one");
}

/* Whether a device of the PCI bus is a GPU that a kernel driver uses. */
static bool is_used_by(const struct system_info *info, const char *device, const char *driver)
{
    char resolved[FILE_PATH_BYTES], file[FILE_PATH_BYTES];
    const char *name;

    snprintf(file, sizeof file, "%s/driver", device);
    if (!system_info_is_gpu(info, device) || !file_resolve(info, file, resolved))
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
    const int gpus = system_info_gpus(info);

    return gpus > 0 && file_count(info, pci_devices, is_used_by_vfio, NULL) == gpus &&
           evidence_set(evidence, "the kernel driver vfio-pci has %s",
                        gpus == 1 ? "the only GPU" : "all GPUs");
}

bool detect_nouveau(const struct system_info *info, struct evidence *evidence)
{
    const int gpus = file_count(info, pci_devices, is_used_by_nouveau, NULL);

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

    return file_read(info, variable, value, sizeof value) && value[4] == 1;
}

bool detect_no_module(const struct system_info *info, struct evidence *evidence)
{
    struct evidence other;

    return system_info_is_ordinary(info) && file_exists(info, "/sys/module") &&
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

    if (file_read(info, "/sys/module/nvidia/version", release, RELEASE_BYTES)) {
        release[strcspn(release, " \n")] = '\0';
        return isdigit((unsigned char)release[0]) != 0;
    }
    file_read(info, "/proc/driver/nvidia/version", text, sizeof text);
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

/* Without the first two no process uses CUDA, nor without one for a GPU, named by its number. */
static const char *const device_files[] = {
    "/dev/nvidiactl",
    "/dev/nvidia-uvm",
    "/dev/nvidia[0-9]*",
};

bool detect_no_device_file(const struct system_info *info, struct evidence *evidence)
{
    if (!system_info_is_ordinary(info) || !system_info_has_module(info))
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

/* Whether one of the words between commas is this one. */
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

/* Whether the container has been given GPUs. The file alone may be one that a library has made. */
static bool has_devices(const struct system_info *info)
{
    return system_info_has_module(info) && file_is_device(info, "/dev/nvidiactl");
}

bool detect_bare_container(const struct system_info *info, struct evidence *evidence)
{
    const char *sign = system_info_container(info);

    /* If the machine has no GPU, the container cannot have one. */
    return sign && !has_devices(info) && system_info_gpus(info) != 0 &&
           evidence_set(evidence, "%s shows a container; no /dev/nvidiactl works here", sign);
}

bool detect_container_without_compute(const struct system_info *info, struct evidence *evidence)
{
    const char *sign = system_info_container(info);
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

    return devices && system_info_container(info) && !has_devices(info) &&
           (strcmp(devices, "void") == 0 || strcmp(devices, "none") == 0) &&
           evidence_set(evidence, "NVIDIA_VISIBLE_DEVICES=%s", devices);
}

bool detect_wsl_1(const struct system_info *info, struct evidence *evidence)
{
    return system_info_wsl(info) == 1 &&
           evidence_set(evidence, "/proc/sys/kernel/osrelease names the kernel of WSL 1");
}

bool detect_wsl_linux_driver(const struct system_info *info, struct evidence *evidence)
{
    char path[FILE_PATH_BYTES];

    return system_info_wsl(info) == 2 && file_exists(info, wsl_library) &&
           info->report->library[0] && file_resolve(info, info->report->library, path) &&
           strncmp(path, "/usr/lib/wsl/", strlen("/usr/lib/wsl/")) != 0 &&
           evidence_set(evidence, "%.240s was loaded, not %s", path, wsl_library);
}

bool detect_wsl_without_driver(const struct system_info *info, struct evidence *evidence)
{
    return system_info_wsl(info) == 2 && !system_info_container(info) &&
           !file_exists(info, wsl_library) &&
           evidence_set(evidence, "%s is not there", wsl_library);
}

bool detect_wsl_without_device(const struct system_info *info, struct evidence *evidence)
{
    return system_info_wsl(info) == 2 && !file_exists(info, wsl_device) &&
           evidence_set(evidence, "%s is not there", wsl_device);
}
