/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels: a PTX text is translated and linked, and its kernels are executed for a while. Each
 * allocation of the device is a block of the host's heap, so that a step beyond it is noticed; so is
 * a write to what the device does not have.
 */
#include <stdlib.h>
#include <string.h>

#include "src/mock/ptx/ptx.h"
#include "tests/fuzz/fuzz.h"

enum {
    ALLOCATIONS = 24,
    BUFFERS = 3,
    BUFFER_BYTES = 512,
    GLOBALS_MAX = 64,
    GLOBAL_BYTES_MAX = 1 << 16,
    PARAMETER_BYTES_MAX = 4096,
    KERNELS_MAX = 3,
    LIMIT = 30000,
    SLICE = 1777,
    FILL = 0x5a,
};

#define FIRST UINT64_C(0x700000000000)
#define DISTANCE UINT64_C(0x100000)

static struct {
    unsigned char *host;
    size_t bytes;
    bool of_kernel;
} allocations[ALLOCATIONS + GLOBALS_MAX];
static size_t allocation_count;

static uint64_t address_of(size_t index)
{
    return FIRST + index * DISTANCE;
}

static uint64_t take(size_t bytes, bool of_kernel)
{
    CLAIM(allocation_count < sizeof allocations / sizeof *allocations);
    allocations[allocation_count].host = fuzz_memory(bytes);
    memset(allocations[allocation_count].host, FILL, bytes);
    allocations[allocation_count].bytes = bytes;
    allocations[allocation_count].of_kernel = of_kernel;
    return address_of(allocation_count++);
}

static void release_all(void)
{
    while (allocation_count > 0)
        free(allocations[--allocation_count].host);
}

static bool find(void *data, uint64_t address, struct ptx_range *range)
{
    const uint64_t index = (address - FIRST) / DISTANCE;

    (void)data;
    if (address < FIRST || index >= allocation_count || !allocations[index].host ||
        address - address_of(index) >= allocations[index].bytes)
        return false;
    *range = (struct ptx_range){
        .start = address_of(index),
        .bytes = allocations[index].bytes,
        .host = allocations[index].host,
        .read_only = index == BUFFERS - 1,
    };
    return true;
}

static void print(void *data, const char *text, size_t bytes)
{
    unsigned sum = 0;

    (void)data;
    for (size_t i = 0; i < bytes; i++)
        sum += (unsigned char)text[i];
    CLAIM(sum <= bytes * UINT8_MAX);
}

static uint64_t allocate(void *data, size_t bytes)
{
    (void)data;
    return allocation_count < ALLOCATIONS && bytes > 0 && bytes < 1000 ? take(bytes, true) : 0;
}

static bool release(void *data, uint64_t address)
{
    const uint64_t index = (address - FIRST) / DISTANCE;

    (void)data;
    if (address < FIRST || index >= allocation_count || address != address_of(index) ||
        !allocations[index].of_kernel || !allocations[index].host)
        return false;
    free(allocations[index].host);
    allocations[index].host = NULL;
    return true;
}

/* Any number is a texture or a surface, of some kind: all of them are in the first buffer. */
static bool texture(void *data, uint64_t handle, struct ptx_texture *made)
{
    const enum ptx_addressing addressing = (enum ptx_addressing)(handle >> 8 & 3);

    (void)data;
    *made = (struct ptx_texture){
        .address = address_of(0),
        .row_bytes = 64,
        .layer_bytes = 256,
        .width = 4,
        .height = 4,
        .depth = 2,
        .texel = (enum ptx_texel)((handle >> 20) % (PTX_TEXEL_F32 + 1)),
        .channels = 1u << (handle >> 10) % 3,
        .surface = handle & 1,
        .layered = handle & 2,
        .cube = handle & 4,
        .linear = handle & 8,
        .normalised = handle & 16,
        .integers = handle & 32,
        .srgb = handle & 64,
        .addressing = {addressing, addressing, addressing},
    };
    return true;
}

static void seen(void *data, const struct ptx_access *access)
{
    (void)data;
    CLAIM(access->bytes > 0 && access->bytes <= 64 && access->use <= PTX_ATOMIC);
}

/* False: they are too large to try. */
static bool place_globals(const struct ptx_module *module, uint64_t *addresses)
{
    if (module->global_count > GLOBALS_MAX)
        return false;
    for (size_t i = 0; i < module->global_count; i++) {
        if (module->globals[i].bytes > GLOBAL_BYTES_MAX)
            return false;
    }
    for (size_t i = 0; i < module->global_count; i++) {
        const struct ptx_global *global = &module->globals[i];

        addresses[i] = take(global->bytes, false);
        if (global->initial)
            memcpy(allocations[allocation_count - 1].host, global->initial, global->bytes);
        for (size_t j = 0; j < global->address_count; j++)
            CLAIM(global->addresses[j].offset + global->addresses[j].bytes <= global->bytes);
    }
    return true;
}

/* Pointers where there is room for one, and numbers elsewhere. */
static void make_parameters(const struct ptx_kernel *kernel, unsigned char *bytes)
{
    for (size_t i = 0; i < kernel->parameter_count; i++) {
        const struct ptx_parameter *of = &kernel->parameters[i];
        const uint64_t value = of->bytes == 8 ? address_of(i % BUFFERS) : 5 + i;

        CLAIM(of->offset + of->bytes <= kernel->parameter_bytes);
        memcpy(bytes + of->offset, &value, of->bytes < 8 ? of->bytes : 8);
    }
}

static void check_end(const struct ptx_launch *launch, enum ptx_state state)
{
    const struct ptx_fault *fault = cushim__ptx_fault(launch);

    CLAIM(state <= PTX_NO_MEMORY);
    CLAIM(fuzz_is_closed(fault->text, sizeof fault->text));
    if (state == PTX_FAULT)
        CLAIM(fault->kind >= PTX_OUT_OF_BOUNDS && fault->kind <= PTX_TRAP && fault->kernel);
}

/* The last buffer is one that kernels may only read. */
static void check_read_only(void)
{
    for (size_t i = 0; i < BUFFER_BYTES; i++)
        CLAIM(allocations[BUFFERS - 1].host[i] == FILL);
}

static void execute(struct ptx_module *module, size_t index)
{
    const struct ptx_callbacks callbacks = {
        .find = find,
        .print = print,
        .allocate = allocate,
        .free = release,
        .texture = texture,
        .access = index == 2 ? seen : NULL,
    };
    const struct ptx_kernel *kernel = &module->kernels[index];
    const struct ptx_shape shape = {
        .grid = {2, 1, 1},
        .block = {kernel->required_block[0] ? kernel->required_block[0] : 33, 1, 1},
        .dynamic_shared_bytes = 64,
        .cooperative = index == 1,
    };
    unsigned char parameters[PARAMETER_BYTES_MAX] = {0};
    uint64_t globals[GLOBALS_MAX];
    enum ptx_state state = PTX_RUNNING;
    struct ptx_launch *launch;

    if (!kernel->defined || kernel->refused || kernel->parameter_bytes > sizeof parameters ||
        shape.block[0] > 256)
        return;
    for (size_t i = 0; i < BUFFERS; i++)
        take(BUFFER_BYTES, false);
    if (place_globals(module, globals)) {
        make_parameters(kernel, parameters);
        launch = cushim__ptx_launch_create(module, index, &shape, parameters,
                                           kernel->parameter_bytes, globals, &callbacks, NULL);
        for (unsigned i = 0; launch && state == PTX_RUNNING && i < LIMIT / SLICE; i++)
            state = cushim__ptx_run(launch, SLICE);
        if (launch) {
            check_end(launch, state);
            check_read_only();
            cushim__ptx_launch_destroy(launch);
        }
    }
    release_all();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct ptx_target target = {.version = 90, .architecture = 90};
    struct ptx_module *module = cushim__ptx_create(&target);
    struct ptx_error error = {.line = 0};

    CLAIM(module != NULL);
    if (cushim__ptx_add(module, (const char *)data, size, &error) &&
        cushim__ptx_link(module, &error)) {
        for (size_t i = 0; i < module->kernel_count && i < KERNELS_MAX; i++)
            execute(module, i);
    } else {
        CLAIM(fuzz_is_closed(error.text, sizeof error.text));
        CLAIM(error.kind == PTX_OUT_OF_MEMORY || error.text[0]);
    }
    cushim__ptx_release(module);
    return 0;
}
