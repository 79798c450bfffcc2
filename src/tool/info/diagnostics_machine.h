/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of Linux say about the machine, for several detectors: its GPUs, the nvidia kernel
 * module, and whether this is a Tegra, Windows, a container or another sandbox.
 */
#ifndef CUSHIM_TOOL_INFO_DIAGNOSTICS_MACHINE_H
#define CUSHIM_TOOL_INFO_DIAGNOSTICS_MACHINE_H

#include "src/tool/info/diagnostics_files.h"

/* The beginnings of the class codes of PCI devices. */
#define MACHINE_DISPLAY "0x03"    /* a display controller: VGA or 3D */
#define MACHINE_NVSWITCH "0x0680" /* a bridge of no other kind */

/* The lowest PCI device id of the GPUs from Turing on, in NVIDIA's list for the open module. */
enum { MACHINE_TURING = 0x1e02 };

enum { MACHINE_RELEASE_BYTES = 64, MACHINE_MOST_GPUS = 64 };

/* The kinds of sandboxes, which differ in how they get GPUs and a driver. */
enum machine_sandbox {
    SANDBOX_NONE,
    SANDBOX_CONTAINER, /* of Docker, Podman, Kubernetes and the like */
    SANDBOX_APPTAINER,
    SANDBOX_TOOLBOX, /* toolbox and Distrobox, which share the machine's /dev */
    SANDBOX_LXC,     /* also of Incus, LXD and systemd-nspawn */
    SANDBOX_FLATPAK,
    SANDBOX_SNAP,
};

/* `sign` receives the file or the variable that shows the sandbox. */
enum machine_sandbox machine_sandbox(const struct system_info *info, const char **sign);

/* Whether a sandbox is a container, which is started with its GPUs or without. */
bool machine_is_container(enum machine_sandbox sandbox);

/* Whether this is a process of a service that systemd has started outside of any session. */
bool machine_is_service(const struct system_info *info);

/* The version of the Windows Subsystem for Linux; 0 for any other kernel. */
int machine_wsl(const struct system_info *info);

/* Whether this is a Tegra, such as a Jetson: its own GPU is usually not on the PCI bus. */
bool machine_is_tegra(const struct system_info *info);

/* Whether the GPUs are on the PCI bus: not on WSL, nor on a Tegra that has no other GPU. */
bool machine_is_ordinary(const struct system_info *info);

/* How many of NVIDIA's devices of a class are on the PCI bus; negative if no bus is visible. */
int machine_pci_count(const struct system_info *info, const char *class);

/* How many of NVIDIA's GPUs this kernel driver has. */
int machine_gpus_of(const struct system_info *info, const char *driver);

/* A GPU on the PCI bus that no longer answers: all that is read from it is 0xff. */
bool machine_has_lost_gpu(const struct system_info *info, char path[FILE_PATH_BYTES]);

/* The highest device number of NVIDIA's GPUs on the PCI bus; 0 if there is none. */
unsigned machine_newest_gpu(const struct system_info *info);

bool machine_has_module(const struct system_info *info);

/* The release of the loaded kernel module, such as 535.129.03. */
bool machine_module_release(const struct system_info *info, char release[MACHINE_RELEASE_BYTES]);

/*
 * The release in the name of the loaded library's file, such as libcuda.so.535.129.03, and its path
 * without links. Returns false, with an empty release, if there is none.
 */
bool machine_library_release(const struct system_info *info, char path[FILE_PATH_BYTES],
                             const char **release);

/* Whether the loaded kernel module is the open one. */
bool machine_module_is_open(const struct system_info *info);

/* Whether a text is the release of a driver: a Tegra's libcuda.so.1.1 has none in its name. */
bool machine_is_release(const char *text);

/* Compare two releases; negative if the first is older. */
int machine_compare_releases(const char *one, const char *other);

/* A GPU that the kernel module has found, in /proc/driver/nvidia/gpus. */
struct machine_gpu {
    char address[32];
    char model[96];
    char uuid[64];    /* empty if unknown; with question marks if not read yet */
    int minor;        /* of its device file; negative if unknown */
    bool is_excluded; /* by an option of the module */
    bool is_here;     /* its device file can be opened, or is not known */
};

/* Read them; returns how many. */
int machine_gpus(const struct system_info *info, struct machine_gpu gpus[MACHINE_MOST_GPUS]);

#endif
