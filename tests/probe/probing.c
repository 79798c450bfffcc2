/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/probe/probing.h"

#include <stdio.h>

#include "tests/support/environment.h"
#include "tests/support/folder.h"

enum { MOST_TRIES = 10 };

const char *probing_command, *probing_folder;

int probing_begin(int count, char **words)
{
    if (count < 3) {
        fprintf(stderr, "usage: %s COMMAND FOLDER_OF_FAKE_DRIVERS\n", words[0]);
        return 2;
    }
    probing_command = words[1];
    probing_folder = words[2];
    environment_set("CUSHIM_LIBRARY", NULL);
    return 0;
}

const char *probing_driver(const char *name, char *path, size_t size)
{
    snprintf(path, size, "%s/%s" LIBRARY_SUFFIX, probing_folder, name);
    return path;
}

const char *probing_path(const char *name)
{
    static char path[1024];

    return probing_driver(name, path, sizeof path);
}

struct probe_result probing_probe_once(const char *library, uint64_t timeout_ns)
{
    struct probe_result probe = {0};
    const CUresult code = probe_run(probing_command, library, timeout_ns, &probe);

    if (code != CUDA_SUCCESS)
        probe.code = code;
    return probe;
}

struct probe_result probing_probe(const char *library, uint64_t timeout_ns)
{
    struct probe_result probe = probing_probe_once(library, timeout_ns);

    for (int tries = 1; probe.unreaped_pid != 0 && tries < MOST_TRIES; tries++) {
        left_await(probe.unreaped_pid);
        probe = probing_probe_once(library, timeout_ns);
    }
    return probe;
}

void probing_set_action(const char *action, const char *when)
{
    environment_set("FAKE_DRIVER_ACTION", action);
    environment_set("FAKE_DRIVER_WHEN", action ? when : NULL);
}

struct probe_result probing_probe_hung(enum probe_stage stage)
{
    struct probe_result probe;
    char path[1024];

    probing_driver("misbehaving", path, sizeof path);
    for (uint64_t timeout = UINT64_C(100000000);; timeout *= 2) {
        probe = probing_probe(path, timeout);
        if (probe.verdict != PROBE_HUNG || probe.stage >= stage || timeout > PROBING_LONG_NS)
            return probe;
    }
}

void probing_count(const char *what, int number)
{
    printf("probe: %s: %d\n", what, number);
}

int probing_open(void **state)
{
    return folder_create(state) || left_begin(state);
}

int probing_close(void **state)
{
    return left_check(state) || folder_remove(state);
}
