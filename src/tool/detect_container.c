/* SPDX-License-Identifier: Apache-2.0 */
#include "src/tool/detect_container.h"

#include <stdlib.h>
#include <string.h>

#include "src/tool/files.h"

static const char wsl_library[] = "/usr/lib/wsl/lib/libcuda.so.1";

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
    return system_info_has_module(info) && system_info_has_device(info, "/dev/nvidiactl");
}

bool detect_bare_container(const struct system_info *info, struct evidence *evidence)
{
    const char *sign = system_info_container(info);

    /* Where the machine is seen to have no GPU there is nothing to be given. */
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
    char path[FILES_PATH_BYTES];

    return system_info_wsl(info) == 2 && system_info_has(info, wsl_library) &&
           info->report->library[0] &&
           files_resolve(info->root, info->report->library, path, sizeof path) &&
           strncmp(path, "/usr/lib/wsl/", strlen("/usr/lib/wsl/")) != 0 &&
           evidence_set(evidence, "%.240s was loaded, not %s", path, wsl_library);
}

bool detect_wsl_without_driver(const struct system_info *info, struct evidence *evidence)
{
    return system_info_wsl(info) == 2 && !system_info_container(info) &&
           !system_info_has(info, wsl_library) &&
           evidence_set(evidence, "%s is not there", wsl_library);
}

bool detect_wsl_without_device(const struct system_info *info, struct evidence *evidence)
{
    return system_info_wsl(info) == 2 && !system_info_has(info, "/dev/dxg") &&
           evidence_set(evidence, "/dev/dxg is not there");
}
