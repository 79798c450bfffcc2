/* SPDX-License-Identifier: Apache-2.0 */
#include "src/tool/diagnostics.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* When a diagnostic matters: what became of the driver, as bits. */
enum {
    ABSENT = 1, /* the search found no library */
    UNFIT = 2,  /* what was found is no driver that can be used */
    FAILED = 4, /* the driver is loaded, and cuInit fails */
    READY = 8,  /* the driver works for those that look for it as cushim does */
    NAMED = 16, /* also where somebody has named the library, so that nothing was searched */
};

#ifdef _WIN32
/* What Linux has in files is not looked for in Windows. */
#define LINUX(detect) NULL

bool detect_searched_library(const struct system_info *info, char *path, size_t size)
{
    (void)info, (void)path, (void)size;
    return false;
}

int system_info_numbered_gpus(const struct system_info *info)
{
    (void)info;
    return 0;
}
#else
#define LINUX(detect) detect
#endif

bool evidence_set(struct evidence *evidence, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(evidence->text, sizeof evidence->text, format, arguments);
    va_end(arguments);
    return true;
}

/* A library for another processor or word size, which the search has met. */
static bool detect_architecture(const struct system_info *info, struct evidence *evidence)
{
    const struct cushim_report *report = info->report;

    for (unsigned i = 0; i < report->candidate_count; i++) {
        const struct cushim__candidate *candidate = &report->candidates[i];
        if (candidate->outcome == CUSHIM_OUTCOME_WRONG_ARCHITECTURE)
            return evidence_set(evidence, "%.200s: %.250s", candidate->path, candidate->message);
    }
    return false;
}

static bool detect_hidden_gpus(const struct system_info *info, struct evidence *evidence)
{
    const char *value = getenv("CUDA_VISIBLE_DEVICES");
    const char *first = value ? value + strspn(value, " ") : NULL;
    const int gpus = system_info_numbered_gpus(info);

    if (!value || info->report->state != CUSHIM_STATE_NO_DEVICE)
        return false;
    if (!*first)
        return evidence_set(evidence, "CUDA_VISIBLE_DEVICES is set and empty");
    if (isdigit((unsigned char)*first))
        return gpus > 0 && strtol(first, NULL, 10) >= gpus &&
               evidence_set(evidence, "CUDA_VISIBLE_DEVICES=%.160s, and the driver has %d GPU%s",
                            value, gpus, gpus == 1 ? "" : "s");
    /* A UUID may be the right one. Any other word names no GPU, and what follows is not read. */
    return strncmp(first, "GPU-", 4) != 0 && strncmp(first, "MIG-", 4) != 0 &&
           evidence_set(evidence, "CUDA_VISIBLE_DEVICES=%.160s", value);
}

const struct diagnostic diagnostics[] = {
    {"no-gpu", ABSENT | FAILED | NAMED, LINUX(detect_no_gpu),
     "The machine has no NVIDIA GPU that its PCI bus shows.",
     "Run on a machine that has one: a virtual machine must be given its GPU, and firmware or "
     "power management may hide it; `cushim run` and --mock simulate one."},
    {"gpu-passed-through", ABSENT | FAILED | NAMED, LINUX(detect_passed_through),
     "The GPU is kept for virtual machines.",
     "Work in the virtual machine that has the GPU, or give it back from vfio-pci to the nvidia "
     "kernel module."},
    {"nouveau", ABSENT | FAILED | NAMED, LINUX(detect_nouveau),
     "The kernel driver nouveau holds the GPU, and CUDA needs the nvidia kernel module.",
     "Install the NVIDIA driver, keep nouveau from loading (`blacklist nouveau` in "
     "/etc/modprobe.d), make the initial RAM disk anew and reboot."},
    {"wsl-1", ABSENT | UNFIT | FAILED | NAMED, LINUX(detect_wsl_1),
     "This is the first version of the Windows Subsystem for Linux, which has no GPU.",
     "Move the distribution to the second version, in Windows: wsl --set-version DISTRIBUTION 2"},
    {"wsl-without-driver", ABSENT, LINUX(detect_wsl_without_driver),
     "Windows provides no CUDA driver to this Linux.",
     "Install the NVIDIA driver in Windows, not in Linux, then restart Linux: wsl --shutdown"},
    {"wsl-without-device", ABSENT | FAILED | NAMED, LINUX(detect_wsl_without_device),
     "Windows provides no GPU to this Linux.",
     "Update the kernel of WSL in Windows (wsl --update, then wsl --shutdown), and let no "
     ".wslconfig set gpuSupport=false; a container must be started with its GPUs."},
    {"wsl-linux-driver", FAILED, LINUX(detect_wsl_linux_driver),
     "A driver that was installed in Linux hides the one that Windows provides.",
     "Remove the packages of the NVIDIA driver from this Linux, or put /usr/lib/wsl/lib first in "
     "LD_LIBRARY_PATH: under WSL the driver is that of Windows."},
    {"container-without-driver", ABSENT, LINUX(detect_bare_container),
     "This is a container, and it was given neither GPUs nor a driver.",
     "Install the NVIDIA Container Toolkit on the host and start the container with its GPUs: "
     "docker run --gpus all, podman run --device nvidia.com/gpu=all, apptainer exec --nv; in "
     "Kubernetes ask for nvidia.com/gpu."},
    {"container-without-compute", ABSENT, LINUX(detect_container_without_compute),
     "This is a container that was given GPUs, but not the driver's library for CUDA.",
     "Start it through the NVIDIA Container Toolkit (docker run --gpus all) and with "
     "NVIDIA_DRIVER_CAPABILITIES=compute,utility; device files alone (--device) do not bring the "
     "library."},
    {"container-hides-gpus", ABSENT | FAILED | NAMED, LINUX(detect_void_container),
     "This is a container that was started with the order to give it no GPU.",
     "Start it with NVIDIA_VISIBLE_DEVICES=all, or with the numbers or UUIDs of its GPUs."},
    {"nixos-without-driver", ABSENT, LINUX(detect_nixos),
     "This NixOS has no NVIDIA driver where its programs look for one.",
     "Set services.xserver.videoDrivers = [ \"nvidia\" ] and hardware.graphics.enable = true "
     "(before 24.11 hardware.opengl.enable), and rebuild."},
    {"stub-folder", ABSENT | UNFIT | FAILED | READY, LINUX(detect_stub_folder),
     "The library path leads to the CUDA toolkit's link-time stub: a program may load it in the "
     "place of the driver.",
     "Take the folder out of LD_LIBRARY_PATH, or out of /etc/ld.so.conf.d and run ldconfig: only "
     "the linker of a build needs it, by -L or LIBRARY_PATH."},
    {"shadowed-driver", ABSENT | UNFIT | FAILED, LINUX(detect_shadowed_driver),
     "A file that cannot be used as the driver stands in the way of one that can.", NULL},
    {"dangling-link", ABSENT, LINUX(detect_dangling_link),
     "libcuda.so.1 is a link to a file that is gone.",
     "Install the NVIDIA driver again: the link was left by one that is removed, or belongs to a "
     "part that is not mounted into this container."},
    {"link-name-only", ABSENT, LINUX(detect_link_name_only),
     "There is a libcuda.so, but no libcuda.so.1, the name by which programs load the driver.",
     "Install the NVIDIA driver. Do not make a link: a libcuda.so by itself is a name for linking, "
     "and often a copy of the toolkit's stub."},
    {"stale-cache", ABSENT, LINUX(detect_stale_cache),
     "The driver's library is there, but the dynamic linker's cache does not know it.",
     "Run ldconfig as root."},
    {"library-outside-search", ABSENT, LINUX(detect_library_outside),
     "There is a driver library, but not where this process's dynamic linker searches.",
     "Add its folder to LD_LIBRARY_PATH or to /etc/ld.so.conf.d (then run ldconfig), or set "
     "CUSHIM_LIBRARY to the file."},
    {"wrong-architecture", ABSENT | UNFIT | FAILED | NAMED, detect_architecture,
     "The search meets a libcuda.so.1 for another processor or word size.",
     "Install the driver's library for the architecture of this process too, or run the program in "
     "a build for the library's; a 32-bit folder belongs in no LD_LIBRARY_PATH of 64-bit "
     "programs."},
    {"compat-library", FAILED | NAMED, LINUX(detect_compatibility),
     "The library is one for forward compatibility (cuda-compat), which this GPU or this kernel "
     "module does not allow.",
     "Take its folder out of LD_LIBRARY_PATH and /etc/ld.so.conf.d, so that the installed driver's "
     "own library is loaded, or update the driver; in a container that brings it along, too."},
    {"module-missing", FAILED | NAMED, LINUX(detect_no_module),
     "The nvidia kernel module is not loaded.",
     "Load it as root: modprobe nvidia. If that fails, the kernel log (dmesg) says why: it must be "
     "built for the running kernel, and under Secure Boot be signed by an enrolled key."},
    {"module-release", FAILED | NAMED, LINUX(detect_release),
     "The nvidia kernel module and the driver's library are of two releases.",
     "Reboot, or unload and load the nvidia kernel modules: an update replaces the library at "
     "once, and the module at the next start. In a container, take out the driver library that "
     "the image brought along."},
    {"device-file-missing", FAILED | NAMED, LINUX(detect_no_device_file),
     "The nvidia kernel module is loaded, but not all of its device files are there.",
     "Make them as root: nvidia-modprobe -u -c=0. In a container, start it with its GPUs (docker "
     "run --gpus all)."},
    {"device-file-refused", FAILED | NAMED, LINUX(detect_refused_device_file),
     "This process may not open a device file of the driver.",
     "Let the user read and write it: join its group, or set NVreg_DeviceFileMode of the nvidia "
     "module. In a container, start it anew with its GPUs; a reload of systemd on the host may "
     "have taken them away."},
    {"cuda-visible-devices", FAILED | NAMED, detect_hidden_gpus,
     "CUDA_VISIBLE_DEVICES hides every GPU.",
     "Unset it, or list the numbers or UUIDs of nvidia-smi -L; what follows an entry that names no "
     "GPU does not count."},
    {0},
};

/* Whether somebody has named the library. */
static bool is_named(const struct cushim_report *report)
{
    return report->candidate_count > 0 && report->candidates[0].origin <= CUSHIM_ORIGIN_ENVIRONMENT;
}

/* The bit of what became of the driver; 0: nothing was tried, or by request. */
static unsigned outcome(const struct cushim_report *report)
{
    switch (report->state) {
    case CUSHIM_STATE_NOT_FOUND:
        /* If a file that somebody named is missing, the machine is not the cause. */
        return is_named(report) ? 0 : ABSENT;
    case CUSHIM_STATE_NOT_LOADABLE:
    case CUSHIM_STATE_NOT_A_DRIVER:
    case CUSHIM_STATE_STUB:
    case CUSHIM_STATE_DRIVER_ERROR:
    case CUSHIM_STATE_TOO_OLD:
        return UNFIT;
    case CUSHIM_STATE_NO_DEVICE:
    case CUSHIM_STATE_KERNEL_MISMATCH:
    case CUSHIM_STATE_INIT_FAILED:
        return FAILED;
    case CUSHIM_STATE_LOADED:
    case CUSHIM_STATE_READY:
        return READY;
    case CUSHIM_STATE_UNTRIED:
    case CUSHIM_STATE_DISABLED:
    case CUSHIM_STATE_FORKED:
        break;
    }
    return 0;
}

static bool is_found(const struct diagnostic *row, const struct system_info *info,
                     struct evidence *evidence)
{
    *evidence = (struct evidence){.text = ""};
    return (row->when & outcome(info->report)) != 0 &&
           (row->when & NAMED || !is_named(info->report)) && row->detect &&
           row->detect(info, evidence);
}

static const char *advice_of(const struct diagnostic *row, const struct evidence *evidence)
{
    return row->advice ? row->advice : evidence->advice;
}

void diagnostics_print(const struct system_info *info)
{
    for (const struct diagnostic *row = diagnostics; row->name; row++) {
        struct evidence evidence;
        if (!is_found(row, info, &evidence))
            continue;
        printf("\n");
        output_line("diagnostic", "%s: %s", row->name, row->message);
        output_line("evidence", "%s", evidence.text);
        output_line("advice", "%s", advice_of(row, &evidence));
    }
}

void diagnostics_json(const struct system_info *info, struct json *json)
{
    json_open(json, "diagnostics", '[');
    for (const struct diagnostic *row = diagnostics; row->name; row++) {
        struct evidence evidence;
        if (!is_found(row, info, &evidence))
            continue;
        json_open(json, NULL, '{');
        json_string(json, "name", row->name);
        json_string(json, "message", row->message);
        json_string(json, "evidence", evidence.text);
        json_string(json, "advice", advice_of(row, &evidence));
        json_close(json, '}');
    }
    json_close(json, ']');
}
