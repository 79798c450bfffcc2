/* SPDX-License-Identifier: Apache-2.0 */
/* Detectors of what a container, another sandbox or the Windows Subsystem for Linux lacks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/tool/info/diagnostics.h"
#include "src/tool/info/diagnostics_machine.h"
#include "src/tool/info/diagnostics_search.h"

static const char wsl_library[] = "/usr/lib/wsl/lib/libcuda.so.1";
static const char wsl_device[] = "/dev/dxg";

/* What to do, by kind of sandbox: without GPUs, and with GPUs but without the driver's library. */
static const struct {
    const char *without_gpus, *without_library;
} sandbox_advice[] = {
    [SANDBOX_CONTAINER] =
        {"Install the NVIDIA Container Toolkit on the machine and start the container with its GPUs: "
         "docker run --gpus all, podman run --device nvidia.com/gpu=all; in Kubernetes ask for "
         "nvidia.com/gpu.",
         "Start the container through the NVIDIA Container Toolkit (docker run --gpus all) and with "
         "NVIDIA_DRIVER_CAPABILITIES=compute,utility; device files alone (--device) do not bring "
         "the library."},
    [SANDBOX_APPTAINER] =
        {"Start the container with the GPUs and the driver of the machine: apptainer exec --nv "
         "(older: singularity exec --nv).",
         "Start the container with the driver of the machine: apptainer exec --nv (older: "
         "singularity exec --nv); it has the device files in any case."},
    [SANDBOX_TOOLBOX] =
        {"Load the driver on the machine: toolbox and Distrobox use its devices.",
         "Install the NVIDIA Container Toolkit on the machine and make the container anew: a recent "
         "toolbox passes the driver on, as distrobox create --nvidia does."},
    [SANDBOX_LXC] =
        {"Give the container GPUs and a driver: in Incus or LXD add a device of the type gpu and set "
         "nvidia.runtime=true; in LXC and systemd-nspawn mount the machine's device files and "
         "driver libraries.",
         "Give the container the driver's libraries of the machine: nvidia.runtime=true in "
         "Incus or LXD; in LXC and systemd-nspawn mount them."},
    [SANDBOX_FLATPAK] = {"",
                         "Run `flatpak update`: the runtime needs the driver's extension of the "
                         "kernel module's release, org.freedesktop.Platform.GL.nvidia-"},
    [SANDBOX_SNAP] = {"", "Connect the snap to the GPU (snap connect SNAP:opengl), and restart the "
                          "snap after an update of the driver."},
};

static const char tegra_advice[] =
    "Start the container with NVIDIA's runtime, which brings the devices and the driver of a Jetson: docker "
    "run --runtime nvidia (package nvidia-container-toolkit, outside of the container).";

/* Whether the container has been given GPUs. The file alone may have been made by a library. */
static bool has_devices(const struct system_info *info)
{
    if (machine_is_tegra(info))
        return file_is_device(info, "/dev/nvmap");
    if (machine_wsl(info))
        return file_is_device(info, wsl_device);
    return machine_has_module(info) && file_is_device(info, "/dev/nvidiactl");
}

/* Name the evidence of a container, and a mount point that its image has kept. */
static bool show_container(const struct system_info *info, struct evidence *evidence,
                           const char *sign, const char *devices)
{
    char path[FILE_PATH_BYTES];
    const bool is_empty = search_meets_empty(info, path);

    return evidence_set(
        evidence, "%s shows a container; %s%s%s%s", sign, devices, is_empty ? "; " : "",
        is_empty ? path : "",
        !is_empty ? ""
        : file_is_folder(info, path)
            ? " is a folder, which a runtime creates to mount a file that is missing"
            : " is empty, as a mount point for the driver's file is");
}

bool detect_bare_container(const struct system_info *info, struct evidence *evidence)
{
    const char *sign;
    const enum machine_sandbox sandbox = machine_sandbox(info, &sign);
    const bool is_tegra = machine_is_tegra(info);

    /* If the machine has no GPU, the container cannot have one. */
    if (!machine_is_container(sandbox) || has_devices(info) ||
        (!is_tegra && machine_pci_count(info, MACHINE_DISPLAY) == 0 && !machine_wsl(info)))
        return false;
    evidence_advise(evidence, "%s", is_tegra ? tegra_advice : sandbox_advice[sandbox].without_gpus);
    return show_container(info, evidence, sign,
                          is_tegra            ? "no /dev/nvmap works here"
                          : machine_wsl(info) ? "no /dev/dxg works here"
                                              : "no /dev/nvidiactl works here");
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

bool detect_container_without_compute(const struct system_info *info, struct evidence *evidence)
{
    const char *sign;
    const enum machine_sandbox sandbox = machine_sandbox(info, &sign);
    const char *asked = getenv("NVIDIA_DRIVER_CAPABILITIES");
    char devices[256];

    if (!machine_is_container(sandbox) || !has_devices(info) || search_has_unfound(info))
        return false;
    evidence_advise(evidence, "%s",
                    machine_is_tegra(info) ? tegra_advice
                                           : sandbox_advice[sandbox].without_library);
    snprintf(devices, sizeof devices, "%s is there",
             machine_is_tegra(info) ? "/dev/nvmap"
             : machine_wsl(info)    ? wsl_device
                                    : "/dev/nvidiactl");
    if (asked && *asked && !has_word(asked, "all") && !has_word(asked, "compute"))
        snprintf(devices + strlen(devices), sizeof devices - strlen(devices),
                 "; NVIDIA_DRIVER_CAPABILITIES=%.160s", asked);
    return show_container(info, evidence, sign, devices);
}

bool detect_void_container(const struct system_info *info, struct evidence *evidence)
{
    const char *devices = getenv("NVIDIA_VISIBLE_DEVICES"), *sign;

    return devices && machine_is_container(machine_sandbox(info, &sign)) && !has_devices(info) &&
           (strcmp(devices, "void") == 0 || strcmp(devices, "none") == 0) &&
           evidence_set(evidence, "NVIDIA_VISIBLE_DEVICES=%s", devices);
}

bool detect_sandbox_without_driver(const struct system_info *info, struct evidence *evidence)
{
    const char *sign;
    const enum machine_sandbox sandbox = machine_sandbox(info, &sign);
    char release[MACHINE_RELEASE_BYTES] = "", extension[MACHINE_RELEASE_BYTES];

    if (sandbox == SANDBOX_NONE || machine_is_container(sandbox) || !machine_has_module(info) ||
        search_has_unfound(info))
        return false;
    machine_module_release(info, release);
    snprintf(extension, sizeof extension, "%s", release[0] ? release : "RELEASE");
    for (char *at = extension; *at; at++)
        *at = *at == '.' ? '-' : *at;
    evidence_advise(evidence, "%s%s", sandbox_advice[sandbox].without_library,
                    sandbox == SANDBOX_FLATPAK ? strcat(extension, ".") : "");
    return evidence_set(evidence, "%s shows a %s; the kernel module is %s", sign,
                        sandbox == SANDBOX_FLATPAK ? "Flatpak" : "snap",
                        release[0] ? release : "loaded");
}

bool detect_wsl_1(const struct system_info *info, struct evidence *evidence)
{
    return machine_wsl(info) == 1 &&
           evidence_set(evidence, "/proc/sys/kernel/osrelease names the kernel of WSL 1");
}

bool detect_wsl_linux_driver(const struct system_info *info, struct evidence *evidence)
{
    char path[FILE_PATH_BYTES];

    return machine_wsl(info) == 2 && file_exists(info, wsl_library) && info->report->library[0] &&
           file_resolve(info, info->report->library, path) &&
           strncmp(path, "/usr/lib/wsl/", strlen("/usr/lib/wsl/")) != 0 &&
           evidence_set(evidence, "%.240s was loaded, not %s", path, wsl_library);
}

bool detect_wsl_without_driver(const struct system_info *info, struct evidence *evidence)
{
    const char *sign;

    return machine_wsl(info) == 2 && machine_sandbox(info, &sign) == SANDBOX_NONE &&
           !file_exists(info, wsl_library) &&
           evidence_set(evidence, "%s is not there", wsl_library);
}

bool detect_wsl_without_device(const struct system_info *info, struct evidence *evidence)
{
    const char *sign;
    const bool is_container = machine_is_container(machine_sandbox(info, &sign));

    evidence_advise(evidence, "%s",
                    is_container ? sandbox_advice[SANDBOX_CONTAINER].without_gpus
                                 : "Update the kernel of WSL in Windows (wsl --update, then wsl "
                                   "--shutdown), and let no .wslconfig set gpuSupport=false.");
    /* Without a library, the container is the cause. */
    return machine_wsl(info) == 2 && !file_exists(info, wsl_device) &&
           !(is_container && !info->report->library[0]) &&
           evidence_set(evidence, "%s is not there", wsl_device);
}

bool detect_wsl_container_library(const struct system_info *info, struct evidence *evidence)
{
    const char *sign;

    return machine_wsl(info) == 2 && machine_is_container(machine_sandbox(info, &sign)) &&
           evidence_set(evidence, "%s shows a container; the kernel is that of WSL 2", sign);
}

bool detect_wsl_failure(const struct system_info *info, struct evidence *evidence)
{
    return machine_wsl(info) == 2 &&
           evidence_set(evidence, "/proc/sys/kernel/osrelease names the kernel of WSL 2");
}
