/* SPDX-License-Identifier: Apache-2.0 */
#include "src/tool/trap_container.h"

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
static bool has_devices(const struct trap_scene *scene)
{
    return trap_has_module(scene) && trap_has_device(scene, "/dev/nvidiactl");
}

bool trap_sees_bare_container(const struct trap_scene *scene, struct trap_evidence *evidence)
{
    const char *sign = trap_container(scene);

    /* Where the machine is seen to have no GPU there is nothing to be given. */
    return sign && !has_devices(scene) && trap_gpus(scene) != 0 &&
           trap_tell(evidence, "%s shows a container; no /dev/nvidiactl works here", sign);
}

bool trap_sees_container_without_compute(const struct trap_scene *scene,
                                         struct trap_evidence *evidence)
{
    const char *sign = trap_container(scene);
    const char *asked = trap_variable(scene, "NVIDIA_DRIVER_CAPABILITIES");

    if (!sign || !has_devices(scene))
        return false;
    if (asked && *asked && !has_word(asked, "all") && !has_word(asked, "compute"))
        return trap_tell(evidence,
                         "%s shows a container; /dev/nvidiactl is there; "
                         "NVIDIA_DRIVER_CAPABILITIES=%.160s",
                         sign, asked);
    return trap_tell(evidence, "%s shows a container; /dev/nvidiactl is there", sign);
}

bool trap_sees_void_container(const struct trap_scene *scene, struct trap_evidence *evidence)
{
    const char *devices = trap_variable(scene, "NVIDIA_VISIBLE_DEVICES");

    return devices && trap_container(scene) && !has_devices(scene) &&
           (strcmp(devices, "void") == 0 || strcmp(devices, "none") == 0) &&
           trap_tell(evidence, "NVIDIA_VISIBLE_DEVICES=%s", devices);
}

bool trap_sees_wsl_1(const struct trap_scene *scene, struct trap_evidence *evidence)
{
    return trap_wsl(scene) == 1 &&
           trap_tell(evidence, "/proc/sys/kernel/osrelease names the kernel of WSL 1");
}

bool trap_sees_wsl_linux_driver(const struct trap_scene *scene, struct trap_evidence *evidence)
{
    char path[FILES_PATH_BYTES];

    return trap_wsl(scene) == 2 && trap_has(scene, wsl_library) && scene->report->library[0] &&
           files_resolve(scene->root, scene->report->library, path, sizeof path) &&
           strncmp(path, "/usr/lib/wsl/", strlen("/usr/lib/wsl/")) != 0 &&
           trap_tell(evidence, "%.240s was loaded, not %s", path, wsl_library);
}

bool trap_sees_wsl_without_driver(const struct trap_scene *scene, struct trap_evidence *evidence)
{
    return trap_wsl(scene) == 2 && !trap_container(scene) && !trap_has(scene, wsl_library) &&
           trap_tell(evidence, "%s is not there", wsl_library);
}

bool trap_sees_wsl_without_device(const struct trap_scene *scene, struct trap_evidence *evidence)
{
    return trap_wsl(scene) == 2 && !trap_has(scene, "/dev/dxg") &&
           trap_tell(evidence, "/dev/dxg is not there");
}
