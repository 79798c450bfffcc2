/* SPDX-License-Identifier: Apache-2.0 */
#include "fixture.h"

enum { ALLOCATIONS = 64, SLICES = 1 << 20 };

#define FIRST UINT64_C(0x700000000000) /* address of the first allocation */

char printed[16384];
bool reuse_memory;
uint64_t accesses[3];
struct ptx_race races[80];
size_t race_count;
struct ptx_fault fault;
struct ptx_counts counts;

static struct {
    uint64_t address;
    size_t bytes;
    unsigned char *host;
} allocations[ALLOCATIONS];
static size_t allocation_count;
static uint64_t addresses[ALLOCATIONS];

uint64_t device_memory(size_t bytes)
{
    const uint64_t address = FIRST + allocation_count * UINT64_C(0x100000000);

    assert_true(allocation_count < ALLOCATIONS);
    allocations[allocation_count].address = address;
    allocations[allocation_count].bytes = bytes;
    allocations[allocation_count].host = calloc(1, bytes ? bytes : 1);
    assert_non_null(allocations[allocation_count++].host);
    return address;
}

static bool find(void *data, uint64_t address, struct ptx_range *range)
{
    (void)data;
    for (size_t i = 0; i < allocation_count; i++) {
        if (allocations[i].host && address - allocations[i].address < allocations[i].bytes) {
            *range = (struct ptx_range){allocations[i].address, allocations[i].bytes,
                                        allocations[i].host, false};
            return true;
        }
    }
    return false;
}

void *device_bytes(uint64_t address)
{
    struct ptx_range range = {0};

    assert_true(find(NULL, address, &range));
    return range.host + (address - range.start);
}

int forget_memory(void **state)
{
    for (size_t i = 0; i < allocation_count; i++)
        free(allocations[i].host);
    allocation_count = 0;
    printed[0] = '\0';
    memset(accesses, 0, sizeof accesses);
    race_count = 0;
    return 0;
}

static void print(void *data, const char *text, size_t bytes)
{
    (void)data;
    strncat(printed, text, bytes);
}

static uint64_t allocate(void *data, size_t bytes)
{
    (void)data;
    for (size_t i = 0; reuse_memory && i < allocation_count; i++) {
        if (!allocations[i].host && allocations[i].bytes == bytes) {
            allocations[i].host = calloc(1, bytes);
            return allocations[i].host ? allocations[i].address : 0;
        }
    }
    return allocation_count < ALLOCATIONS && bytes < 1 << 20 ? device_memory(bytes) : 0;
}

static bool release(void *data, uint64_t address)
{
    (void)data;
    for (size_t i = 0; i < allocation_count; i++) {
        if (allocations[i].host && allocations[i].address == address) {
            free(allocations[i].host);
            allocations[i].host = NULL;
            return true;
        }
    }
    return false;
}

static void access_seen(void *data, const struct ptx_access *access)
{
    (void)data;
    accesses[access->use]++;
}

static uint64_t timer(void *data, uint64_t instructions)
{
    (void)data;
    return TIMER + instructions;
}

/* Every texture has 4 rows of 4 words; its handle is its address. */
static bool texture(void *data, uint64_t handle, struct ptx_texture *found)
{
    (void)data;
    *found = (struct ptx_texture){
        .address = handle,
        .row_bytes = 16,
        .layer_bytes = 64,
        .width = 4,
        .height = 4,
        .depth = 1,
        .texel = PTX_TEXEL_U32,
        .channels = 1,
        .surface = true,
    };
    return handle >= FIRST;
}

const struct ptx_callbacks callbacks = {.find = find,
                                        .print = print,
                                        .allocate = allocate,
                                        .free = release,
                                        .timer_ns = timer,
                                        .texture = texture};

static void race_seen(void *data, const struct ptx_race *race)
{
    (void)data;
    if (race_count < COUNT(races))
        races[race_count] = *race;
    race_count++;
}

static const struct ptx_callbacks hooked_callbacks = {.find = find,
                                                      .print = print,
                                                      .allocate = allocate,
                                                      .free = release,
                                                      .access = access_seen,
                                                      .race = race_seen};

const struct ptx_target any_target = {.version = 999, .architecture = 999};

struct ptx_module *translate(const char *text)
{
    struct ptx_module *module = cushim__ptx_create(&any_target);
    struct ptx_error error;

    assert_non_null(module);
    if (!cushim__ptx_add(module, text, strlen(text), &error) || !cushim__ptx_link(module, &error))
        fail_msg("line %u: %s: %s", error.line, error.text, error.instruction);
    return module;
}

struct ptx_error refused(const char *text)
{
    struct ptx_module *module = cushim__ptx_create(&any_target);
    struct ptx_error error;

    assert_non_null(module);
    assert_false(cushim__ptx_add(module, text, strlen(text), &error) &&
                 cushim__ptx_link(module, &error));
    cushim__ptx_release(module);
    return error;
}

const uint64_t *place_globals(const struct ptx_module *module)
{
    assert_true(module->global_count <= ALLOCATIONS);
    for (size_t i = 0; i < module->global_count; i++) {
        const struct ptx_global *global = &module->globals[i];

        addresses[i] = device_memory(global->bytes);
        if (global->initial)
            memcpy(device_bytes(addresses[i]), global->initial, global->bytes);
    }
    for (size_t i = 0; i < module->global_count; i++) {
        const struct ptx_global *global = &module->globals[i];

        for (size_t j = 0; j < global->address_count; j++) {
            const struct ptx_address *at = &global->addresses[j];
            const uint64_t value = (at->of_function ? 0 : addresses[at->global]) + at->value;
            const uint64_t shifted = value >> at->shift;

            memcpy((char *)device_bytes(addresses[i]) + at->offset, &shifted, at->bytes);
        }
    }
    return addresses;
}

enum ptx_state run(struct ptx_module *module, const char *kernel, struct run options)
{
    const size_t index = cushim__ptx_find_kernel(module, kernel);
    const struct ptx_shape shape = {
        .grid = {options.grid ? options.grid : 1, 1, 1},
        .block = {options.block ? options.block : 1, 1, 1},
        .dynamic_shared_bytes = options.shared,
        .cooperative = options.cooperative,
        .multiprocessors = options.multiprocessors,
        .grid_id = options.number,
    };
    enum ptx_state state = PTX_RUNNING;
    struct ptx_launch *launch;

    assert_true(index != SIZE_MAX);
    if (module->kernels[index].refused)
        fail_msg("line %u: %s", module->kernels[index].refused_line,
                 module->kernels[index].refused);
    launch = cushim__ptx_launch_create(module, index, &shape, options.parameters, options.bytes,
                                       place_globals(module),
                                       options.hooked ? &hooked_callbacks : &callbacks, NULL);
    assert_non_null(launch);
    for (unsigned i = 0; state == PTX_RUNNING && i < SLICES; i++)
        state = cushim__ptx_run(launch, options.slice ? options.slice : 100000);
    fault = *cushim__ptx_fault(launch);
    counts = *cushim__ptx_counts(launch);
    cushim__ptx_launch_destroy(launch);
    return state;
}

uint64_t run_text(const char *text, uint32_t threads, const void *input, size_t bytes,
                  size_t output_bytes)
{
    struct ptx_module *module = translate(text);
    const uint64_t pointers[2] = {device_memory(output_bytes), device_memory(bytes + 8)};

    if (bytes)
        memcpy(device_bytes(pointers[1]), input, bytes);
    if (run(module, "k",
            (struct run){.block = threads, .parameters = pointers, .bytes = sizeof pointers}) !=
        PTX_ENDED)
        fail_msg("%u in line %u: %s", (unsigned)fault.kind, fault.line, fault.text);
    cushim__ptx_release(module);
    return pointers[0];
}
