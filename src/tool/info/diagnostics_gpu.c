/* SPDX-License-Identifier: Apache-2.0 */
/* Detectors of GPUs that are missing, held, hidden or not started, and of their device files. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/tool/info/diagnostics.h"
#include "src/tool/info/diagnostics_machine.h"

/* --- the GPU and who holds it --- */

/* A module that is loaded has known a GPU, which may be gone since: unplugged, or switched off. */
bool detect_no_gpu(const struct system_info *info, struct evidence *evidence)
{
    struct machine_gpu gpus[MACHINE_MOST_GPUS];
    struct evidence other;
    const bool has_module = machine_has_module(info);

    return machine_is_ordinary(info) && machine_pci_count(info, MACHINE_DISPLAY) == 0 &&
           (!has_module ||
            (info->report->state == CUSHIM_STATE_NO_DEVICE && machine_gpus(info, gpus) == 0)) &&
           !detect_powered_off(info, &other) &&
           evidence_set(evidence, "none of the devices in /sys/bus/pci/devices is one%s",
                        has_module ? "; the nvidia kernel module is loaded, and has none" : "");
}

static bool is_switched_off(const struct system_info *info, const char *path)
{
    char text[64];

    return file_read(info, path, text, sizeof text) &&
           (strstr(text, " OFF") || text[0] == '1' || strncmp(text, "off", 3) == 0);
}

bool detect_powered_off(const struct system_info *info, struct evidence *evidence)
{
    static const char *const switches[] = {
        "/proc/acpi/bbswitch", "/sys/devices/platform/*/dgpu_disable", "/etc/prime-discrete"};
    char path[FILE_PATH_BYTES];

    for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++) {
        if (!machine_has_module(info) && file_count(info, switches[i], is_switched_off, path) > 0)
            return evidence_set(evidence, "%s says so", path);
    }
    return false;
}

bool detect_passed_through(const struct system_info *info, struct evidence *evidence)
{
    const int gpus = machine_pci_count(info, MACHINE_DISPLAY);

    return gpus > 0 && machine_gpus_of(info, "vfio-pci") == gpus &&
           evidence_set(evidence, "the kernel driver vfio-pci has %s",
                        gpus == 1 ? "the only GPU" : "all GPUs");
}

bool detect_nouveau(const struct system_info *info, struct evidence *evidence)
{
    const int gpus = machine_gpus_of(info, "nouveau");

    return gpus > 0 && !machine_has_module(info) &&
           evidence_set(evidence, "the kernel driver nouveau has %d GPU%s", gpus,
                        gpus == 1 ? "" : "s");
}

bool detect_lost(const struct system_info *info, struct evidence *evidence)
{
    char path[FILE_PATH_BYTES];

    return machine_has_lost_gpu(info, path) &&
           evidence_set(evidence, "%s/config begins with ff ff ff ff", path);
}

bool detect_excluded(const struct system_info *info, struct evidence *evidence)
{
    struct machine_gpu gpus[MACHINE_MOST_GPUS];
    const int count = machine_gpus(info, gpus);
    int excluded = 0;

    for (int i = 0; i < count; i++)
        excluded += gpus[i].is_excluded;
    return count > 0 && excluded == count &&
           evidence_set(evidence, "/proc/driver/nvidia/gpus/%s/information says GPU Excluded: Yes",
                        gpus[0].address);
}

bool detect_tegra_failure(const struct system_info *info, struct evidence *evidence)
{
    return machine_is_tegra(info) && !machine_is_ordinary(info) &&
           evidence_set(evidence, "this is a Tegra, and its GPU is not on the PCI bus");
}

bool detect_fabric_manager(const struct system_info *info, struct evidence *evidence)
{
    static const char folder[] = "/run/nvidia-fabricmanager";
    const int switches = machine_pci_count(info, MACHINE_NVSWITCH);
    const char *sign;

    return switches > 0 && !file_exists(info, folder) &&
           evidence_set(evidence, "%d NVSwitch%s on the PCI bus; %s is not there%s", switches,
                        switches == 1 ? "" : "es", folder,
                        machine_sandbox(info, &sign) != SANDBOX_NONE
                            ? " in this sandbox (outside of it, it may be)"
                            : "");
}

bool detect_vgpu_type(const struct system_info *info, struct evidence *evidence)
{
    struct machine_gpu gpus[MACHINE_MOST_GPUS];
    const int count = machine_gpus(info, gpus);

    for (int i = 0; i < count; i++) {
        /* Such as GRID T4-8A or NVIDIA A40-2B: a number, and the letter of the type. */
        const char *type = strrchr(gpus[i].model, '-');
        type = type ? type + 1 + strspn(type + 1, "0123456789") : "";
        if ((*type == 'A' || *type == 'B') && isdigit((unsigned char)type[-1]))
            return evidence_set(evidence, "%s is a virtual GPU %s", gpus[i].address, gpus[i].model);
    }
    return false;
}

bool detect_not_started(const struct system_info *info, struct evidence *evidence)
{
    struct machine_gpu gpus[MACHINE_MOST_GPUS];
    const int count = machine_gpus(info, gpus);
    const bool is_open = machine_module_is_open(info);
    const unsigned newest = machine_newest_gpu(info);
    struct evidence other;

    if (detect_hidden_gpus(info, &other))
        return false;
    for (int i = 0; i < count; i++) {
        if (!gpus[i].is_here || !strchr(gpus[i].uuid, '?'))
            continue;
        evidence_advise(
            evidence, "%sRead the kernel log: dmesg | grep -e NVRM -e RmInitAdapter -e Xid.%s",
            is_open && newest > 0 && newest < MACHINE_TURING
                ? "Install the proprietary kernel module: the open one does not know GPUs before "
                  "Turing. "
                : "",
            is_open ? " This is the open kernel module, which needs a GPU of Turing or newer."
                    : " This is the proprietary kernel module; Blackwell and Grace Hopper need the "
                      "open kernel module.");
        return evidence_set(evidence,
                            "/proc/driver/nvidia/gpus/%s/information has no UUID of the %s",
                            gpus[i].address, gpus[i].model[0] ? gpus[i].model : "GPU");
    }
    return false;
}

/* --- device files --- */

/* A process needs the first two to use CUDA, and one for a GPU, which is named by its number. */
static const char *const device_files[] = {
    "/dev/nvidiactl",
    "/dev/nvidia-uvm",
    "/dev/nvidia[0-9]*",
};

/* The same of WSL and of a Tegra: which of these there are depends on the machine. */
static const char *const other_device_files[] = {
    "/dev/dxg",
    "/dev/nvmap",
    "/dev/nvhost-*gpu",
    "/dev/nvgpu/*/*",
};

bool detect_no_device_file(const struct system_info *info, struct evidence *evidence)
{
    const char *sign;
    const enum machine_sandbox sandbox = machine_sandbox(info, &sign);
    char path[FILE_PATH_BYTES];
    struct evidence other;

    if (!machine_is_ordinary(info) || !machine_has_module(info) ||
        detect_passed_through(info, &other))
        return false;
    for (size_t i = 0; i < sizeof device_files / sizeof device_files[0]; i++) {
        if (file_count(info, device_files[i], file_is_device, NULL) > 0)
            continue;
        evidence_advise(
            evidence, "%s",
            machine_is_container(sandbox)
                ? "Start the container with its GPUs (docker run --gpus all, apptainer "
                  "exec --nv). If the machine lacks the file, too, make it there first, "
                  "as root: nvidia-modprobe -u -c=0."
            : sandbox == SANDBOX_FLATPAK && i == 0
                ? "Let the application use the GPU: flatpak override --user "
                  "--device=dri APP. If the device files are missing outside of the "
                  "sandbox, too, make them there as root: nvidia-modprobe -u -c=0."
            : sandbox != SANDBOX_NONE
                ? "Make the device files outside of the sandbox, as root: nvidia-modprobe -u -c=0."
            : machine_is_service(info)
                ? "If the machine has the device files, this service of systemd may have "
                  "PrivateDevices=, which hides them: take that out. If it has not, make them as "
                  "root: nvidia-modprobe -u -c=0."
                : "Make the device files as root: nvidia-modprobe -u -c=0.");
        if (file_count(info, device_files[i], NULL, path) > 0) {
            if (sandbox == SANDBOX_NONE)
                evidence_advise(evidence,
                                "Remove %s, then make the device files as root: nvidia-modprobe -u "
                                "-c=0.",
                                path);
            return evidence_set(evidence, "%s is no device file", path);
        }
        return evidence_set(evidence, "%s is not there%s", device_files[i],
                            strstr(device_files[i], "uvm") && file_exists(info, "/sys/module") &&
                                    !file_exists(info, "/sys/module/nvidia_uvm")
                                ? "; nor is the kernel module nvidia_uvm"
                                : "");
    }
    return false;
}

static bool is_refused(const struct system_info *info, const char *path)
{
    const int error = file_is_device(info, path) ? file_open_error(info, path, true) : 0;

    /* EBUSY and the like come from a driver that works. */
    return error == EACCES || error == EPERM || error == ENXIO || error == ENODEV || error == EIO;
}

static bool is_usable(const struct system_info *info, const char *path)
{
    return file_is_device(info, path) && file_open_error(info, path, true) == 0;
}

static const char *advice_on_refusal(const struct system_info *info, const char *path, int error)
{
    const char *sign;

    if ((error == EPERM || error == EACCES) && machine_sandbox(info, &sign) == SANDBOX_SNAP)
        return "Connect the snap to the GPU: snap connect SNAP:opengl.";
    if (error == EACCES && file_is_for_everybody(info, path))
        return "A security module refuses the device, although its mode allows access. As root, see "
               "the denial: ausearch -m AVC -ts recent (SELinux), or journalctl -k | grep "
               "'apparmor=\"DENIED\"' (AppArmor), and allow it in the policy. For a container of "
               "Podman under SELinux, try for one run: --security-opt label=disable.";
    if (error == EACCES && machine_is_tegra(info))
        return "Let the user read and write the device file: join its group, usually video or "
               "render, and log in again.";
    if (error == EPERM && getenv("SLURM_JOB_ID"))
        return "The control group of this job of Slurm refuses the device: ask for GPUs, such as srun "
               "--gres=gpu:1.";
    if (error == EPERM && machine_sandbox(info, &sign) == SANDBOX_LXC)
        return "A control group refuses the device. In LXC, allow the numbers of /dev/nvidia* (195, and "
               "those of nvidia-uvm and nvidia-caps in /proc/devices): lxc.cgroup2.devices.allow = c "
               "195:* rwm; in Incus or LXD add a device of the type gpu.";
    switch (error) {
    case EPERM:
        return "A control group refuses the device. In a service of systemd: DeviceAllow= for "
               "/dev/nvidiactl, /dev/nvidia-uvm and /dev/nvidia0 (each rw), and no PrivateDevices=. "
               "In a container: start it anew with its GPUs; systemctl daemon-reload outside of it "
               "may have taken them away.";
    case EACCES:
        return "Let the user read and write the device file: join its group, or set "
               "NVreg_DeviceFileMode of the nvidia module. In a container, start it anew with its "
               "GPUs.";
    case EIO:
        return "The kernel module could not start the GPU: read the kernel log (dmesg) for NVRM, "
               "RmInitAdapter and Xid.";
    default:
        return "No kernel driver answers to the number of the device file. Load its module as root, "
               "outside of any container: nvidia-modprobe -u -c=0 (for nvidia_uvm), modprobe "
               "nvidia. Then make the file anew, or start the container anew: the number may have "
               "changed (/proc/devices).";
    }
}

static bool look_for_refused(const struct system_info *info, const char *const *patterns,
                             size_t count, struct evidence *evidence)
{
    char path[FILE_PATH_BYTES];

    for (size_t i = 0; i < count; i++) {
        /* Of several GPUs, a process may have one. */
        if (file_count(info, patterns[i], is_usable, NULL) == 0 &&
            file_count(info, patterns[i], is_refused, path) > 0) {
            const int error = file_open_error(info, path, true);
            evidence_advise(evidence, "%s", advice_on_refusal(info, path, error));
            return evidence_set(evidence, "%s: %s%s", path, strerror(error),
                                error == EACCES && file_is_for_everybody(info, path)
                                    ? ", although its mode lets everybody read and write"
                                    : "");
        }
    }
    return false;
}

bool detect_refused_device_file(const struct system_info *info, struct evidence *evidence)
{
    return look_for_refused(info, device_files, sizeof device_files / sizeof device_files[0],
                            evidence) ||
           look_for_refused(info, other_device_files,
                            sizeof other_device_files / sizeof other_device_files[0], evidence);
}

/* --- partitioned GPUs (MIG) --- */

struct instances {
    int count, usable;
    char problem[128]; /* of the first that cannot be used */
};

/* Whether the file of a capability can be opened; its number is in the file `access`. */
static bool has_capability(const struct system_info *info, const char *access, char problem[128])
{
    char text[128], path[64];
    const char *number;
    int error;

    file_read(info, access, text, sizeof text);
    number = strstr(text, "DeviceFileMinor:");
    if (!number)
        return true; /* unknown */
    snprintf(path, sizeof path, "/dev/nvidia-caps/nvidia-cap%d",
             atoi(number + strlen("DeviceFileMinor:")));
    error = file_open_error(info, path, false);
    if (error && !problem[0])
        snprintf(problem, 128, "%s: %s", path, strerror(error));
    return error == 0;
}

static bool is_usable_part(const struct system_info *info, const char *access, void *problem)
{
    return has_capability(info, access, problem);
}

static bool look_at_instance(const struct system_info *info, const char *folder, void *data)
{
    struct instances *instances = data;
    char path[FILE_PATH_BYTES];

    instances->count++;
    snprintf(path, sizeof path, "%s/access", folder);
    if (has_capability(info, path, instances->problem)) {
        snprintf(path, sizeof path, "%s/ci*/access", folder);
        instances->usable += file_count(info, path, NULL, NULL) == 0 ||
                             file_each(info, path, is_usable_part, instances->problem) > 0;
    }
    return true;
}

static int count_partitioned(const struct system_info *info)
{
    /* Each of these has at least this one file. */
    return file_count(info, "/proc/driver/nvidia/capabilities/gpu*/mig/gi*", NULL, NULL) == 0
               ? 0
               : file_count(info, "/proc/driver/nvidia/capabilities/gpu*/mig", NULL, NULL);
}

bool detect_mig(const struct system_info *info, struct evidence *evidence)
{
    struct instances instances = {.count = 0};

    if (file_count(info, "/dev/nvidia[0-9]*", file_is_device, NULL) > count_partitioned(info))
        return false; /* a whole GPU is here */
    file_each(info, "/proc/driver/nvidia/capabilities/gpu*/mig/gi*", look_at_instance, &instances);
    return instances.count > 0 && instances.usable == 0 &&
           evidence_set(evidence, "the GPU has %d MIG instance%s; %s", instances.count,
                        instances.count == 1 ? "" : "s", instances.problem);
}

/* --- CUDA_VISIBLE_DEVICES --- */

/* How many GPUs this process can number, and the file of the first; 0 if that is unknown. */
static int count_here(const struct system_info *info, int count, char first[FILE_PATH_BYTES])
{
    const int files = file_count(info, "/dev/nvidia[0-9]*", is_usable, first);

    if (count_partitioned(info) > 0)
        return 0;
    return files > 0 && files < count ? files : count;
}

static bool is_number_hidden(const struct system_info *info, const char *value, const char *first,
                             struct evidence *evidence)
{
    struct machine_gpu gpus[MACHINE_MOST_GPUS];
    const int count = machine_gpus(info, gpus);
    char file[FILE_PATH_BYTES] = "";
    const int here = count_here(info, count, file);

    if (here == 0 || strtol(first, NULL, 10) < here)
        return false;
    if (here == count)
        return evidence_set(evidence, "CUDA_VISIBLE_DEVICES=%.160s, and the driver has %d GPU%s",
                            value, here, here == 1 ? "" : "s");
    evidence_set(evidence,
                 "CUDA_VISIBLE_DEVICES=%.120s, and this process has %d of the %d GPUs (%s), so the "
                 "only number is 0",
                 value, here, count, file);
    return here == 1 ||
           evidence_set(evidence,
                        "CUDA_VISIBLE_DEVICES=%.120s, and this process has %d of the %d GPUs, so "
                        "the numbers are 0 to %d",
                        value, here, count, here - 1);
}

/* Whether an entry names this UUID: it may be its beginning. */
static bool names_uuid(const char *entry, size_t length, const char *uuid)
{
    return length > strlen("GPU-") && strncmp(entry, uuid, length) == 0;
}

static bool is_uuid_hidden(const struct system_info *info, const char *value, const char *first,
                           struct evidence *evidence)
{
    struct machine_gpu gpus[MACHINE_MOST_GPUS];
    const int count = machine_gpus(info, gpus);
    const size_t length = strcspn(first, ", ");
    const struct machine_gpu *elsewhere = NULL;

    for (int i = 0; i < count; i++) {
        const bool is_named = names_uuid(first, length, gpus[i].uuid);
        if (!gpus[i].uuid[0] || strchr(gpus[i].uuid, '?') || (is_named && gpus[i].is_here))
            return false;
        if (is_named)
            elsewhere = &gpus[i];
    }
    if (count == 0)
        return false;
    if (elsewhere)
        return evidence_set(evidence,
                            "CUDA_VISIBLE_DEVICES=%.120s is the GPU %s, whose /dev/nvidia%d this "
                            "process does not have",
                            value, elsewhere->address, elsewhere->minor);
    return evidence_set(evidence, "CUDA_VISIBLE_DEVICES=%.160s is none of the %d GPU%s here", value,
                        count, count == 1 ? "" : "s");
}

static bool is_instance_hidden(const struct system_info *info, const char *value,
                               struct evidence *evidence)
{
    return machine_has_module(info) && !machine_wsl(info) && count_partitioned(info) == 0 &&
           evidence_set(evidence, "CUDA_VISIBLE_DEVICES=%.160s, and no GPU here has a MIG instance",
                        value);
}

bool diagnostics_names_no_gpu(const struct system_info *info, const char *value, const char *first,
                              struct evidence *evidence)
{
    if (isdigit((unsigned char)first[0]))
        return is_number_hidden(info, value, first, evidence);
    return strncmp(first, "MIG-", 4) == 0 ? is_instance_hidden(info, value, evidence)
                                          : is_uuid_hidden(info, value, first, evidence);
}
