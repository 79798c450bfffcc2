/* SPDX-License-Identifier: Apache-2.0 */
/* Detectors of what is wrong with the nvidia kernel modules, or between them and the library. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/tool/info/diagnostics.h"
#include "src/tool/info/diagnostics_machine.h"
#include "src/tool/info/diagnostics_search.h"

/* --- the module is missing --- */

/* Whether the firmware allows only signed modules. */
static bool has_secure_boot(const struct system_info *info)
{
    static const char variable[] =
        "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";
    char value[8] = {0}; /* four bytes of attributes, then the value */

    return file_read(info, variable, value, sizeof value) && value[4] == 1;
}

/* Whether the running kernel has modules, and nvidia is not among them. `kernel` gets its name. */
static bool lacks_module_file(const struct system_info *info, char kernel[64])
{
    char path[FILE_PATH_BYTES], *modules;
    size_t length = 0;
    bool is_lacking;

    file_read(info, "/proc/sys/kernel/osrelease", kernel, 64);
    kernel[strcspn(kernel, "\n")] = '\0';
    snprintf(path, sizeof path, "/lib/modules/%s/modules.dep", kernel);
    modules = kernel[0] ? file_read_all(info, path, &length) : NULL;
    if (!modules)
        return false;
    modules[length - 1] = '\0';
    is_lacking = !strstr(modules, "/nvidia.ko");
    free(modules);
    return is_lacking;
}

bool detect_no_module(const struct system_info *info, struct evidence *evidence)
{
    char path[FILE_PATH_BYTES], kernel[64];
    struct evidence other;
    const unsigned newest = machine_newest_gpu(info);
    const char *release;
    bool is_legacy, is_secure, is_lacking;

    if (!machine_is_ordinary(info) || !file_exists(info, "/sys/module") ||
        machine_pci_count(info, MACHINE_DISPLAY) == 0 || machine_has_module(info) ||
        detect_nouveau(info, &other) || detect_passed_through(info, &other) ||
        detect_powered_off(info, &other))
        return false;
    is_secure = has_secure_boot(info);
    is_lacking = lacks_module_file(info, kernel);
    is_legacy = newest > 0 && newest < MACHINE_TURING &&
                machine_library_release(info, path, &release) &&
                machine_compare_releases(release, "590") >= 0;
    evidence_advise(
        evidence, "%s%s%s%s%s%s%s",
        machine_is_container(machine_sandbox(info, &release)) ? "Outside of the container: " : "",
        is_legacy ? "Install the branch 580 of the driver: later ones ignore GPUs before Turing. "
                  : "",
        is_lacking ? "Build the module for the running kernel: install its headers and run dkms "
                     "autoinstall, or install the package of the module for this kernel. "
                   : "",
        is_legacy || is_lacking ? "Then, as root: modprobe nvidia."
                                : "Load the kernel module as root: modprobe nvidia.",
        is_secure ? " If that says that a key was rejected, install the distribution's signed "
                    "package of the module, or sign it with a key of yours (MOK: mokutil --import "
                    "KEY, reboot, enrol). Only if neither can be done, turn off Secure Boot."
                  : "",
        is_legacy || is_lacking ? ""
        : is_secure             ? " If it fails otherwise"
                                : " If that fails",
        is_legacy || is_lacking
            ? ""
            : ", the kernel log (dmesg) says why: the module must be built for the running kernel, "
              "and know this GPU (branches after 580 ignore those before Turing).");
    return evidence_set(
        evidence, "/sys/module/nvidia is not there%s%s%s%s%s",
        is_secure ? "; Secure Boot is on" : "",
        is_lacking ? "; no nvidia.ko for the running kernel " : "", is_lacking ? kernel : "",
        is_legacy ? "; the GPU is older than Turing, the library is " : "", is_legacy ? path : "");
}

/* --- the library is missing --- */

bool detect_library_missing(const struct system_info *info, struct evidence *evidence)
{
    char release[MACHINE_RELEASE_BYTES] = "";
    const char *sign;
    const bool is_tegra = machine_is_tegra(info);

    if (machine_sandbox(info, &sign) != SANDBOX_NONE || machine_wsl(info) ||
        search_has_unfound(info) ||
        !(machine_has_module(info) || (is_tegra && file_is_device(info, "/dev/nvmap"))))
        return false;
    if (is_tegra) {
        evidence_advise(evidence, "Install the driver's libraries of the same release of Jetson "
                                  "Linux.");
        return evidence_set(evidence, "this is a Tegra with its devices, and no libcuda.so.1");
    }
    machine_module_release(info, release);
    evidence_advise(
        evidence,
        "Install the package with the driver's libraries for CUDA, in the release of "
        "the module%s%s: libcuda1 (Debian), libnvidia-compute (Ubuntu), "
        "xorg-x11-drv-nvidia-cuda-libs (Fedora), nvidia-compute (openSUSE), nvidia-utils "
        "(Arch).",
        release[0] ? ", " : "", release);
    return evidence_set(evidence, "the kernel module %s%sis loaded; there is no libcuda.so.1",
                        release, release[0] ? " " : "");
}

bool detect_no_driver(const struct system_info *info, struct evidence *evidence)
{
    const unsigned newest = machine_newest_gpu(info);
    struct evidence other;
    const char *sign;

    if (machine_sandbox(info, &sign) != SANDBOX_NONE || !machine_is_ordinary(info) ||
        !file_exists(info, "/sys/module") || machine_has_module(info) ||
        machine_pci_count(info, MACHINE_DISPLAY) <= 0 || search_has_unfound(info) ||
        detect_nouveau(info, &other) || detect_passed_through(info, &other) ||
        detect_powered_off(info, &other) || detect_nixos(info, &other))
        return false;
    evidence_advise(
        evidence,
        "Install the NVIDIA driver%s, its kernel module and its libraries for CUDA, from "
        "the packages of the distribution or from NVIDIA, and reboot.",
        newest > 0 && newest < MACHINE_TURING
            ? ", of the branch 580 or an older one, as later ones ignore GPUs before "
              "Turing"
            : "");
    return evidence_set(evidence, "an NVIDIA GPU is on the PCI bus; /sys/module/nvidia and "
                                  "libcuda.so.1 are not there");
}

/* --- library and module do not fit --- */

static bool is_compatibility(const char *path)
{
    return strstr(path, "/compat/") || strstr(path, "/cuda-compat");
}

static bool has_beside(const struct system_info *info, const char *library, const char *name,
                       const char *release)
{
    char path[FILE_PATH_BYTES];
    const int folder = (int)(strrchr(library, '/') - library);

    return snprintf(path, sizeof path, "%.*s/%s.so.%s", folder, library, name, release) <
               (int)sizeof path &&
           file_exists(info, path);
}

/* Whether a library is where the linker searches by itself. */
static bool is_of_system(const char *library)
{
    return strncmp(library, "/usr/lib", 8) == 0 || strncmp(library, "/lib", 4) == 0;
}

/*
 * Whether the files beside a library are those of cuda-compat, in a folder of any name: it has the
 * PTX compiler, but not the management library, which every complete driver has. In a container
 * that may not use the management library, the driver looks the same, but is in the folders of the
 * system.
 */
static bool is_compatibility_package(const struct system_info *info, const char *library,
                                     const char *release)
{
    return !is_of_system(library) &&
           has_beside(info, library, "libnvidia-ptxjitcompiler", release) &&
           !has_beside(info, library, "libnvidia-ml", release);
}

/* What is known of the library and the module. */
struct pair {
    char library[FILE_PATH_BYTES];      /* resolved */
    const char *release;                /* of the library; empty if its name has none */
    char module[MACHINE_RELEASE_BYTES]; /* release of the module, or empty */
    char own[FILE_PATH_BYTES];          /* another library, of the module's release; or empty */
    bool is_compatibility;              /* the library is of cuda-compat */
};

static bool read_pair(const struct system_info *info, struct pair *pair)
{
    const char *loaded = info->report->library;
    bool is_newer = false;

    *pair = (struct pair){.library = ""};
    if (!machine_library_release(info, pair->library, &pair->release))
        pair->release = "";
    if (!pair->library[0])
        return false;
    if (!machine_module_release(info, pair->module) || strcmp(pair->module, pair->release) == 0 ||
        !search_release(info, pair->module, pair->own))
        pair->own[0] = '\0';
    if (pair->module[0] && pair->release[0])
        is_newer = machine_compare_releases(pair->release, pair->module) > 0;
    pair->is_compatibility =
        is_compatibility(loaded) || is_compatibility(pair->library) ||
        (is_newer &&
         (pair->own[0] || is_compatibility_package(info, pair->library, pair->release)));
    return true;
}

/* Whether two resolved paths are in one folder. */
static bool is_beside(const char *one, const char *other)
{
    const char *end = strrchr(one, '/');
    const size_t length = end ? (size_t)(end - one) + 1 : 0;

    return length > 0 && strncmp(one, other, length) == 0 && !strchr(other + length, '/');
}

/* Another usable library that the search would find; NULL if there is none. */
static const char *next_library(const struct system_info *info, const struct pair *pair)
{
    const struct search_libraries *libraries = search_libraries(info);

    for (int i = 0; i < libraries->count; i++) {
        const struct search_library *row = &libraries->rows[i];
        if (strcmp(row->resolved, pair->library) != 0 && !strstr(row->resolved, "/stubs/") &&
            search_is_library(info, row->path))
            return row->path;
    }
    return NULL;
}

/* Advise another library for one run, which is easily undone. Returns false if there is none. */
static bool advise_other(const struct system_info *info, const struct pair *pair,
                         struct evidence *evidence)
{
    const char *other = pair->own[0] ? pair->own : next_library(info, pair);
    char own[FILE_PATH_BYTES];

    if (!other)
        return false;
    if (pair->own[0] && file_resolve(info, pair->own, own) &&
        (is_beside(own, pair->library) || is_of_system(pair->library)))
        evidence_advise(evidence,
                        "Try the library of the module's release for one run: "
                        "CUSHIM_LIBRARY=%s cushim info. If that works, let libcuda.so.1 lead to "
                        "it: move %.120s out of the folder and run ldconfig%s.",
                        other, pair->library,
                        pair->is_compatibility
                            ? " (in a container: take cuda-compat out of the image, from which the "
                              "runtime may have mounted it)"
                            : "; in a container, take it out of the image");
    else
        evidence_advise(evidence,
                        "Try %s for one run: CUSHIM_LIBRARY=%s cushim info. If that works, take "
                        "%.120s out of the search: its folder out of LD_LIBRARY_PATH, or out of "
                        "/etc/ld.so.conf.d, then run ldconfig; in a container, out of the image.",
                        pair->own[0] ? "the library of the module's release" : "another library",
                        other, pair->library);
    return true;
}

bool detect_compatibility(const struct system_info *info, struct evidence *evidence)
{
    struct pair pair;

    if (!read_pair(info, &pair) || !pair.is_compatibility)
        return false;
    if (!advise_other(info, &pair, evidence))
        evidence_advise(
            evidence,
            "Try without cuda-compat for one run: env -u LD_LIBRARY_PATH cushim info. If that "
            "works, take its folder out of LD_LIBRARY_PATH, or, if it is named there, out of "
            "/etc/ld.so.conf.d (then run ldconfig), so that the installed driver's own library is "
            "loaded; or update the driver. In a container, cuda-compat comes from the image.");
    return evidence_set(evidence, "the library is %.200s%s%s%s%.180s", pair.library,
                        pair.module[0] ? ", the kernel module " : "", pair.module,
                        pair.own[0] ? "; there is also " : "", pair.own);
}

bool detect_release(const struct system_info *info, struct evidence *evidence)
{
    struct pair pair;
    const char *sign;

    if (!read_pair(info, &pair) || pair.is_compatibility || !pair.module[0] ||
        strcmp(pair.module, pair.release) == 0 || !(pair.release[0] || pair.own[0]))
        return false;
    if (!pair.own[0] || !advise_other(info, &pair, evidence))
        evidence_advise(
            evidence, "%s",
            machine_is_container(machine_sandbox(info, &sign))
                ? "Start the container anew if the machine's driver was updated after the container "
                  "was started; reboot the machine if it was not rebooted after the update. If the "
                  "image has a driver library of its own, remove it: the runtime mounts the machine's."
                : "Reboot, or unload and load the nvidia kernel modules: an update replaces the "
                  "library at once, and the module at the next start. If that does not help, install "
                  "the packages of both in one release.");
    return evidence_set(evidence, "the kernel module is %s, the library %.200s%s%.180s",
                        pair.module, pair.library, pair.own[0] ? "; there is also " : "", pair.own);
}

/* --- nvidia_uvm --- */

bool detect_hmm(const struct system_info *info, struct evidence *evidence)
{
    static const char parameter[] = "/sys/module/nvidia_uvm/parameters/uvm_disable_hmm";
    char value[8], release[MACHINE_RELEASE_BYTES] = "";

    if (!machine_module_is_open(info) || machine_pci_count(info, MACHINE_NVSWITCH) > 0 ||
        !file_read(info, parameter, value, sizeof value) || value[0] != 'N')
        return false;
    machine_module_release(info, release);
    return evidence_set(evidence,
                        "%s is N, and the kernel module is the open one%s%s; no file says "
                        "whether that is the cause",
                        parameter, release[0] ? ", " : "", release);
}

bool detect_suspend(const struct system_info *info, struct evidence *evidence)
{
    static const char count[] = "/sys/power/suspend_stats/success";
    char value[16];

    return file_read(info, count, value, sizeof value) && strtoul(value, NULL, 10) > 0 &&
           file_exists(info, "/sys/module/nvidia_uvm") &&
           evidence_set(evidence, "%s is %lu", count, strtoul(value, NULL, 10));
}
