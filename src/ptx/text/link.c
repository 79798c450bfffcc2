/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Linking, after all texts: find missing definitions, and what each kernel needs with all that it
 * calls.
 */
#include "src/ptx/text/parser.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Functions that the driver provides. */
static const char *const builtins[] = {
    [BUILTIN_PRINT] = "vprintf",
    [BUILTIN_ASSERT] = "__assertfail",
    [BUILTIN_MALLOC] = "malloc",
    [BUILTIN_FREE] = "free",
};

/* Whether every function that is called is defined by a text or by the driver. */
static bool resolve(struct ptx_program *program, struct ptx_error *error)
{
    for (uint32_t i = 0; i < program->function_count; i++) {
        const struct ptx_function *function = &program->functions[i];

        for (uint32_t j = 0; j < function->callee_count; j++) {
            struct ptx_function *callee = &program->functions[function->callees[j]];

            for (uint8_t k = BUILTIN_FREE; !callee->defined && k > BUILTIN_NONE; k--) {
                if (strcmp(callee->name, builtins[k]) == 0)
                    callee->builtin = k;
            }
            if (!callee->defined && callee->builtin == BUILTIN_NONE) {
                error->part = callee->part;
                snprintf(error->text, sizeof error->text, "'%.150s' is not defined", callee->name);
                return false;
            }
        }
    }
    return true;
}

static uint32_t most(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/*
 * Compute the most that the frames of a function and its callees need, callees first. Deeper calls
 * and recursion are not counted: frames grow when they have to.
 */
static void measure(struct ptx_function *functions, uint32_t index, unsigned depth)
{
    enum { DEPTH = 200 };
    struct ptx_function *function = &functions[index];

    if (function->visited || function->visiting || depth > DEPTH)
        return;
    function->visiting = true;
    for (uint32_t i = 0; i < function->callee_count; i++) {
        const struct ptx_function *callee = &functions[function->callees[i]];

        measure(functions, function->callees[i], depth + 1);
        function->call_registers = most(function->call_registers, callee->call_registers);
        function->call_local = most(function->call_local, callee->call_local);
    }
    function->call_registers += function->frame_bytes;
    function->call_local += function->local_bytes;
    function->visiting = false;
    function->visited = true;
}

static void reach(struct ptx_program *program, uint32_t index, uint32_t *found, uint32_t *count)
{
    if (!program->functions[index].visiting)
        found[(*count)++] = index;
    program->functions[index].visiting = true;
}

/*
 * Find all functions that a kernel calls, itself first. If it calls a pointer, these include every
 * function whose address is taken. Returns how many there are. The search does not recurse, so the
 * C stack is bounded.
 */
static uint32_t closure(struct ptx_program *program, uint32_t root, uint32_t *found)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < program->function_count; i++)
        program->functions[i].visiting = false;
    reach(program, root, found, &count);
    for (uint32_t at = 0; at < count; at++) {
        const struct ptx_function *function = &program->functions[found[at]];

        for (uint32_t i = 0; i < function->callee_count; i++)
            reach(program, function->callees[i], found, &count);
        for (uint32_t i = 0; function->calls_pointers && i < program->function_count; i++) {
            if (program->functions[i].address_taken)
                reach(program, i, found, &count);
        }
    }
    return count;
}

static size_t aligned(size_t offset, size_t alignment)
{
    return (offset + alignment - 1) / alignment * alignment;
}

/* `found` has room for all functions. Returns false if memory runs out. */
static bool finish_kernel(struct ptx_program *program, struct ptx_kernel *kernel, uint32_t *found)
{
    struct ptx_function *function = &program->functions[kernel->function];
    const uint32_t count = closure(program, kernel->function, found);
    size_t offset = 0, alignment = 1; /* of dynamic shared memory, if there is any */

    function->shared_offsets =
        malloc((program->shared_count + 1) * sizeof *function->shared_offsets);
    if (!function->shared_offsets)
        return false;
    for (uint32_t i = 0; i < program->shared_count; i++)
        function->shared_offsets[i] = PTX_UNUSED;
    /*
     * Variables with a size come first. Dynamic shared memory begins after them, aligned as ptxas
     * aligns it.
     */
    for (unsigned dynamic = 0; dynamic < 2; dynamic++) {
        for (uint32_t i = 0; i < count; i++) {
            const struct ptx_function *member = &program->functions[found[i]];

            for (uint32_t j = 0; j < member->shared_count; j++) {
                const struct ptx_shared *shared = &program->shared[member->shared[j]];
                uint32_t *place = &function->shared_offsets[member->shared[j]];

                if (shared->dynamic)
                    alignment = most(most((uint32_t)alignment, 16), (uint32_t)shared->alignment);
                if (shared->dynamic != dynamic || *place != PTX_UNUSED)
                    continue;
                *place = (uint32_t)aligned(offset, shared->alignment);
                if (!dynamic && (offset = *place + shared->bytes) > UINT32_MAX / 2)
                    offset = UINT32_MAX / 2;
            }
        }
        if (!dynamic)
            kernel->shared_bytes = offset = aligned(offset, alignment);
    }
    kernel->local_bytes = function->call_local;
    kernel->registers =
        function->call_registers / PTX_ROW > 255 ? 255 : function->call_registers / PTX_ROW;
    kernel->refused = function->defined ? NULL : "it is only declared";
    for (uint32_t i = 0; i < count && !kernel->refused; i++) {
        const struct ptx_function *member = &program->functions[found[i]];

        kernel->prints |= member->builtin == BUILTIN_PRINT;
        kernel->allocates |= member->builtin == BUILTIN_MALLOC || member->builtin == BUILTIN_FREE;
        kernel->refused = member->refused;
        kernel->refused_part = member->part;
        kernel->refused_line = member->refused_line;
    }
    return true;
}

bool cushim__ptx_link(struct ptx_module *module, struct ptx_error *error)
{
    struct ptx_program *program = module->program;
    uint32_t *found;
    bool done;

    *error = (struct ptx_error){0};
    if (!resolve(program, error))
        return false;
    found = calloc(program->function_count + 1, sizeof *found);
    done = found != NULL;
    for (uint32_t i = 0; done && i < program->function_count; i++)
        measure(program->functions, i, 0);
    for (size_t i = 0; done && i < module->kernel_count; i++)
        done = finish_kernel(program, &program->kernels[i], found);
    cushim__ptx_names_clear(program->names);
    free(program->names);
    program->names = NULL;
    free(found);
    if (!done)
        error->kind = PTX_OUT_OF_MEMORY;
    return done;
}
