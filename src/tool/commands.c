/* SPDX-License-Identifier: Apache-2.0 */
#include "src/tool/commands.h"

#include <stdio.h>
#include <string.h>

const struct command_row commands[] = {
    {COMMAND_INFO, "info", NULL,
     "Prints what became of the driver: the library that was loaded, its version, how many "
     "symbols of the driver API it has, which are missing and which fall back on an older one; or "
     "why there is none, what was tried, and what to do about it. Then the diagnostics: what keeps CUDA from "
     "working on this machine, each with its evidence and a way out of it. Then each device: name, UUID, "
     "compute capability, memory and PCI address. Another process tries the driver first, as probe "
     "does; if it hangs or crashes there, it is not loaded into the command, and that is the "
     "result.",
     command_info},
    {COMMAND_PROBE, "probe", NULL,
     "Tries the driver in a process of its own, for a limited time, so that one that hangs or "
     "crashes in cuInit, or as it is opened, does no harm. Prints the verdict: usable, absent "
     "(there is no driver, or no device), broken (it fails or crashes) or hung; the reason, and "
     "what to do about it; and how far it came: load, init, count (of devices) or done. The "
     "process and all that it has started in its group are ended before the command ends.",
     command_probe},
    {COMMAND_TIME, "time", NULL,
     "Times the driver at work. Each round records an event on a stream, sets bytes of device "
     "memory (cuMemsetD8Async), records a second event and waits for it. Prints the minimum, "
     "median and maximum of the elapsed time between the two, the bandwidth at the median in GB/s "
     "(10^9 bytes per second), and which function told the elapsed time. 3 untimed rounds go "
     "before the first timed one. A run of more than a second shows its progress if standard "
     "error is a terminal. Ctrl-C stops it after the current round, and what was measured until "
     "then is printed. Where there is no driver, and none was named, the mock driver takes its "
     "place: the first line says so, and the times are simulated.",
     command_time},
    {COMMAND_RUN, "run", "[--] PROGRAM [ARGUMENT...]",
     "Starts a program with the mock driver in the place of libcuda.so.1, so that it finds a "
     "simulated GPU on any machine. The folder of the mock's library is put before the others in "
     "LD_LIBRARY_PATH, and CUSHIM_LIBRARY names it. The settings are checked before the program "
     "starts. What they may be, and which programs cannot be served, is told by the page mock.md, "
     "installed in share/doc/cushim/docs: a program that is linked with an RPATH, or opens a "
     "driver by its path, keeps its own.",
     command_run},
    {COMMAND_PROFILE, "profile", NULL,
     "Writes down what a device says of itself: its name, its memory, every attribute that the "
     "driver knows, the limits of a new context and the range of stream priorities. The mock "
     "driver takes such a file as the kind of device to be, as the page mock.md tells. What "
     "identifies the machine is left out: no UUID is written, and PCI addresses, board groups and "
     "NUMA nodes are replaced.",
     command_profile},
    {COMMAND_SYMBOLS, "symbols", "[LIBRARY]",
     "Lists the symbols of the driver API: the version of CUDA that each came with, its section of "
     "the API, and its name. Of a driver's library, tells which of these it has, which it lacks, "
     "and which exported names it has besides that begin with cu. The names are read from the "
     "file: the library is not loaded, and nothing of it runs. The whole registry, with parameters "
     "and types, is installed as share/cushim/driver-api.json.",
     command_symbols},
    {0},
};

const struct command_row *commands_find(const char *name)
{
    for (const struct command_row *row = commands; row->name; row++) {
        if (strcmp(row->name, name) == 0)
            return row;
    }
    return NULL;
}

const char *commands_names(char *buffer, size_t size)
{
    size_t length = 0;

    for (const struct command_row *row = commands; row->name && length < size; row++)
        length += (size_t)snprintf(buffer + length, size - length, "%s%s",
                                   row == commands ? "" : ", ", row->name);
    if (length < size)
        snprintf(buffer + length, size - length, " or help");
    return buffer;
}
