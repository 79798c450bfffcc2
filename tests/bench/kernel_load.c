/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels that are executed: kernel_load FILE KERNEL BLOCKS
 *
 * Runs a kernel of a PTX file, in so many blocks of 256 threads. Prints the instructions that its
 * threads have executed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/mock/ptx/ptx.h"

enum { BYTES = 1 << 20, COUNT = 96, THREADS = 256, TEXT = 1 << 16 };

#define OUT UINT64_C(0x700000000000)
#define IN UINT64_C(0x710000000000)

static union {
    unsigned char bytes[BYTES];
    float numbers[BYTES / 4];
} out, in;

static bool find(void *data, uint64_t address, struct ptx_range *range)
{
    (void)data;
    if (address - OUT < BYTES)
        *range = (struct ptx_range){OUT, BYTES, out.bytes, false};
    else if (address - IN < BYTES)
        *range = (struct ptx_range){IN, BYTES, in.bytes, false};
    else
        return false;
    return true;
}

static void require(bool is_so, const char *what)
{
    if (!is_so) {
        fprintf(stderr, "kernel_load: %s\n", what);
        exit(1);
    }
}

static struct ptx_module *translated(const char *path)
{
    static char text[TEXT];
    static const struct ptx_target target = {.version = 999, .architecture = 999};
    struct ptx_module *module = cushim__ptx_create(&target);
    struct ptx_error error = {0};
    FILE *file = fopen(path, "rb");
    size_t bytes;

    require(file && module, path);
    bytes = fread(text, 1, sizeof text, file);
    fclose(file);
    require(bytes < sizeof text, "the file is too large");
    require(cushim__ptx_add(module, text, bytes, &error) && cushim__ptx_link(module, &error),
            error.text);
    return module;
}

int main(int count, char **arguments)
{
    static const struct ptx_callbacks callbacks = {.find = find};
    struct {
        uint64_t out, in;
        int count;
    } parameters = {OUT, IN, COUNT};
    struct ptx_shape shape = {.grid = {0, 1, 1}, .block = {THREADS, 1, 1}};
    struct ptx_module *module;
    struct ptx_launch *launch;
    enum ptx_state state = PTX_RUNNING;
    size_t kernel;

    require(count == 4, "usage: kernel_load FILE KERNEL BLOCKS");
    module = translated(arguments[1]);
    kernel = cushim__ptx_find_kernel(module, arguments[2]);
    require(kernel != SIZE_MAX, "there is no such kernel");
    shape.grid[0] = (uint32_t)strtoul(arguments[3], NULL, 10);
    if (strcmp(arguments[2], "add") == 0)
        parameters.count = BYTES / 4;
    for (unsigned i = 0; i < BYTES / 4; i++)
        in.numbers[i] = (float)(i % 64);
    launch = cushim__ptx_launch_create(module, kernel, &shape, &parameters, sizeof parameters, NULL,
                                       &callbacks, NULL);
    require(launch != NULL, "the kernel cannot be launched");
    while (state == PTX_RUNNING)
        state = cushim__ptx_run(launch, 1 << 20);
    require(state == PTX_ENDED, cushim__ptx_fault(launch)->text);
    printf("%" PRIu64 "\n", cushim__ptx_counts(launch)->instructions);
    cushim__ptx_launch_destroy(launch);
    cushim__ptx_release(module);
    return 0;
}
