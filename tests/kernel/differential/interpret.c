/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE
#include "interpret.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/mock/ptx/ptx.h"

/* Where the memory of a launch lies, as far as the kernel knows. */
#define OPERANDS UINT64_C(0x7f0000000000)
#define RESULTS UINT64_C(0x7f1000000000)
#define GLOBALS UINT64_C(0x7f2000000000)

enum { GLOBALS_BYTES = 1 << 16, SLICE = 100000, MOST_SLICES = 20000, MOST_GLOBALS = 64 };

struct fixture {
    unsigned char *operands, *results, *globals;
    size_t operand_bytes, result_bytes;
};

static bool find(void *data, uint64_t address, struct ptx_range *range)
{
    const struct fixture *const fixture = data;
    const struct ptx_range ranges[] = {
        {OPERANDS, fixture->operand_bytes, fixture->operands, false},
        {RESULTS, fixture->result_bytes, fixture->results, false},
        {GLOBALS, GLOBALS_BYTES, fixture->globals, false},
    };

    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        if (address >= ranges[i].start && address - ranges[i].start < ranges[i].bytes) {
            *range = ranges[i];
            return true;
        }
    }
    return false;
}

/* The variables of the module one after the other, with their initial values. */
static bool place_globals(const struct ptx_module *module, struct fixture *fixture,
                          uint64_t addresses[MOST_GLOBALS])
{
    uint64_t at = 0;

    if (module->global_count > MOST_GLOBALS)
        return false;
    for (size_t i = 0; i < module->global_count; i++) {
        const struct ptx_global *const global = &module->globals[i];
        const uint64_t alignment = global->alignment ? global->alignment : 1;

        at = (at + alignment - 1) / alignment * alignment;
        if (global->bytes > GLOBALS_BYTES - at)
            return false;
        if (global->initial)
            memcpy(fixture->globals + at, global->initial, global->bytes);
        else
            memset(fixture->globals + at, 0, global->bytes);
        addresses[i] = GLOBALS + at;
        at += global->bytes;
    }
    return true;
}

static enum outcome execute(struct ptx_module *module, const struct kernel *kernel,
                            struct fixture *fixture, char *why, size_t room)
{
    const size_t index = cushim__ptx_find_kernel(module, kernel->entry);
    const uint64_t parameters[2] = {OPERANDS, RESULTS};
    const struct ptx_callbacks callbacks = {.find = find};
    const struct ptx_shape shape = {.grid = {kernel->count / kernel->block, 1, 1},
                                    .block = {kernel->block, 1, 1}};
    uint64_t addresses[MOST_GLOBALS];
    struct ptx_launch *launch;
    enum ptx_state state = PTX_RUNNING;
    enum outcome outcome = FAULTED;

    if (index == SIZE_MAX || !place_globals(module, fixture, addresses)) {
        snprintf(why, room, "there is no such kernel, or no room for its variables");
        return REFUSED;
    }
    if (module->kernels[index].refused) {
        snprintf(why, room, "%s", module->kernels[index].refused);
        return REFUSED;
    }
    launch = cushim__ptx_launch_create(module, index, &shape, parameters, sizeof parameters,
                                       addresses, &callbacks, fixture);
    for (unsigned slice = 0; launch && state == PTX_RUNNING && slice < MOST_SLICES; slice++)
        state = cushim__ptx_run(launch, SLICE);
    if (!launch || state == PTX_NO_MEMORY)
        snprintf(why, room, "no memory");
    else if (state == PTX_FAULT)
        snprintf(why, room, "%d: %s", (int)cushim__ptx_fault(launch)->kind,
                 cushim__ptx_fault(launch)->text);
    else if (state != PTX_ENDED)
        snprintf(why, room, state == PTX_STUCK ? "it is stuck" : "it does not end");
    else
        outcome = COMPUTED;
    cushim__ptx_launch_destroy(launch);
    return outcome;
}

enum outcome interpret_kernel(const struct programs *programs, size_t index, unsigned char *packed,
                              char *why, size_t room)
{
    const struct kernel *const kernel = &programs->kernels[index];
    char *text = module_text(programs, index, index + 1);
    struct fixture fixture = {.operand_bytes = (size_t)kernel->count * kernel->operand_count * 8,
                              .result_bytes = (size_t)kernel->count * kernel->result_count * 8};
    static const struct ptx_target target = {.version = 999, .architecture = 999};
    struct ptx_module *module = cushim__ptx_create(&target);
    struct ptx_error error = {0};
    enum outcome outcome = REFUSED;

    fixture.operands = must_allocate(fixture.operand_bytes);
    fixture.results = must_allocate(fixture.result_bytes);
    fixture.globals = must_allocate(GLOBALS_BYTES);
    operands_fill(kernel, programs->seed, (uint64_t *)(void *)fixture.operands);
    memset(fixture.results, 0xa5, fixture.result_bytes);
    if (!module || !cushim__ptx_add(module, text, strlen(text), &error) ||
        !cushim__ptx_link(module, &error))
        snprintf(why, room, "%s, line %u: %s", error.text, error.line, error.instruction);
    else
        outcome = execute(module, kernel, &fixture, why, room);
    if (outcome == COMPUTED)
        results_pack(kernel, (const uint64_t *)(const void *)fixture.results, packed);
    if (module)
        cushim__ptx_release(module);
    free(fixture.operands);
    free(fixture.results);
    free(fixture.globals);
    free(text);
    return outcome;
}

bool interpret_run(const struct programs *programs, const char *path)
{
    unsigned char *packed = must_allocate(BUFFER_BYTES);
    int file;

    results_begin(path, programs);
    file = results_continue(path);
    for (size_t i = 0; i < programs->count; i++) {
        char why[512] = "";
        const enum outcome outcome = interpret_kernel(programs, i, packed, why, sizeof why);

        if (outcome == COMPUTED)
            results_write(file, i, outcome, packed, results_bytes(&programs->kernels[i]));
        else
            results_write_text(file, i, outcome, why);
    }
    free(packed);
    return close(file) == 0;
}
