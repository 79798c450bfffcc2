/* SPDX-License-Identifier: Apache-2.0 */
/* The execution of a kernel: its memory, its time, what it prints and how it ends. */
#include "src/mock/launch/execution.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/print.h"
#include "src/driver_api/result.h"
#include "src/mock/context/context.h"
#include "src/mock/core/device.h"
#include "src/mock/core/state.h"
#include "src/mock/launch/kernel.h"
#include "src/mock/memory/allocation.h"
#include "src/mock/memory/pool.h"
#include "src/mock/memory/virtual.h"
#include "src/mock/module/module.h"
#include "src/mock/module/translation.h"
#include "src/mock/sim/sim.h"
#include "src/mock/texture/texture.h"
#include "src/ptx/ptx.h"
#include "src/race/race.h"

enum {
    PART = 50000,       /* instructions of threads in a part of the execution */
    PRINTED = 64 << 10, /* bytes of output that are kept before they are flushed */
    WARP = 32,
    /*
     * Roughly as on a GPU: an instruction of a warp takes CYCLES, and a multiprocessor works on
     * WARPS_AT_ONCE warps at a time, which makes 4 instructions of warps per cycle.
     */
    CYCLES = 8,
    WARPS_AT_ONCE = 32,
    DEFAULT_KHZ = 1000000, /* for a profile without a clock rate */
};

struct mock_execution {
    struct mock_executed what;
    struct ptx_callbacks callbacks;
    struct ptx_launch *launch;
    enum ptx_state state;
    bool limited; /* the limit of instructions was reached */
    uint64_t warps, block_warps, threads;
    /* The current part: when it began, and what had been done before. */
    uint64_t began_ns, instructions;
    struct ptx_counts done;
    struct mock_accesses accesses[MOCK_ACCESS_USES]; /* if races are looked for */
    char *printed;
    size_t printed_bytes, printed_room;
};

/* --- callbacks of the interpreter --- */

static bool is_reached(const struct mock_context *context, const struct mock_allocation *memory)
{
    const struct mock_device *device = context->device;
    const struct mock_mapping *mapping = cushim__mock_mapping_of(memory);

    if (mapping)
        return cushim__mock_mapping_access(mapping, device) != CU_MEM_ACCESS_FLAGS_PROT_NONE;
    if (cushim__mock_allocation_place(memory) != MOCK_DEVICE_MEMORY || memory->device == device)
        return true;
    if (memory->pool)
        return memory->pool->access[device->ordinal] != 0;
    return context->peers[memory->device->ordinal];
}

static bool find(void *data, uint64_t address, struct ptx_range *range)
{
    const struct mock_execution *execution = data;
    const struct mock_allocation *memory = cushim__mock_allocation_behind(address);
    const struct mock_mapping *mapping = cushim__mock_mapping_of(memory);

    if (!memory || !is_reached(execution->what.context, memory))
        return false;
    *range = (struct ptx_range){
        .start = memory->span.start,
        .bytes = memory->bytes,
        .host = (unsigned char *)memory->host,
        .read_only = mapping
                         ? cushim__mock_mapping_access(mapping, execution->what.context->device) ==
                               CU_MEM_ACCESS_FLAGS_PROT_READ
                         : memory->origin == MOCK_BY_REGISTER && memory->flags & MOCK_READ_ONLY,
    };
    return true;
}

static void flush(struct mock_execution *execution)
{
    if (execution->printed_bytes > 0)
        fwrite(execution->printed, 1, execution->printed_bytes, stdout);
    execution->printed_bytes = 0;
}

static void print(void *data, const char *text, size_t bytes)
{
    struct mock_execution *execution = data;

    if (execution->printed_bytes + bytes > execution->printed_room) {
        const size_t room = (execution->printed_bytes + bytes) * 2;
        char *grown = realloc(execution->printed, room);

        if (!grown)
            return;
        execution->printed = grown;
        execution->printed_room = room;
    }
    memcpy(execution->printed + execution->printed_bytes, text, bytes);
    execution->printed_bytes += bytes;
    if (execution->printed_bytes > PRINTED)
        flush(execution);
}

static uint64_t allocate(void *data, size_t bytes)
{
    const struct mock_execution *execution = data;
    struct mock_context *context = execution->what.context;
    const size_t limit = context->limits[CU_LIMIT_MALLOC_HEAP_SIZE];
    struct mock_allocation *made;

    if (bytes > limit || context->heap_bytes > limit - bytes ||
        cushim__mock_allocation_create(context, context->device, MOCK_BY_KERNEL, bytes, &made))
        return 0;
    context->heap_bytes += bytes;
    return made->span.start;
}

static bool free_memory(void *data, uint64_t address)
{
    const struct mock_execution *execution = data;
    struct mock_allocation *memory = cushim__mock_allocation_behind(address);

    if (!memory || memory->origin != MOCK_BY_KERNEL || memory->span.start != address ||
        memory->context != execution->what.context)
        return false;
    execution->what.context->heap_bytes -= memory->bytes;
    cushim__mock_allocation_destroy(memory);
    return true;
}

/* Return how many of the warps that have not ended are worked on at once. */
static uint64_t warps_at_once(const struct mock_execution *execution)
{
    const uint64_t most = WARPS_AT_ONCE * (uint64_t)cushim__mock->settings.profile
                                              .attributes[CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT];
    const uint64_t ended = execution->done.blocks * execution->block_warps;
    const uint64_t left = ended < execution->warps ? execution->warps - ended : 1;

    return left > most && most > 0 ? most : left;
}

static uint64_t time_of(const struct mock_execution *execution, uint64_t warp_instructions)
{
    const int khz = cushim__mock->settings.profile.attributes[CU_DEVICE_ATTRIBUTE_CLOCK_RATE];
    const uint64_t cycles = warp_instructions * CYCLES / warps_at_once(execution);

    return cycles * 1000000 / (uint64_t)(khz > 0 ? khz : DEFAULT_KHZ);
}

static uint64_t timer_ns(void *data, uint64_t instructions)
{
    const struct mock_execution *execution = data;
    const uint64_t lanes = execution->threads < WARP ? execution->threads : WARP;

    return execution->began_ns +
           time_of(execution, (instructions - execution->done.instructions) / lanes);
}

static bool describe_texture(void *data, uint64_t handle, struct ptx_texture *texture)
{
    const struct mock_execution *execution = data;

    return cushim__mock_texture_describe(handle, execution->what.number, texture);
}

static void access_memory(void *data, const struct ptx_access *access)
{
    struct mock_execution *execution = data;

    if (access->space == PTX_GLOBAL)
        cushim__mock_accesses_add(&execution->accesses[access->use], access->address,
                                  access->bytes);
}

static void report_race(void *data, const struct ptx_race *race)
{
    const struct mock_execution *execution = data;

    cushim__mock_thread_race_report(race, execution->what.number);
}

static const struct ptx_callbacks callbacks = {
    .find = find,
    .print = print,
    .allocate = allocate,
    .free = free_memory,
    .timer_ns = timer_ns,
    .texture = describe_texture,
};

/* --- launches --- */

CUresult cushim__mock_execution_find(const struct mock_variables *variables, const char *name,
                                     size_t *kernel)
{
    const struct ptx_module *program = variables ? variables->code->program : NULL;
    const size_t index = program ? cushim__ptx_find_kernel(program, name) : SIZE_MAX;
    const struct ptx_kernel *found;

    if (index == SIZE_MAX)
        return CUDA_ERROR_NOT_FOUND;
    found = &program->kernels[index];
    if (found->refused) {
        cushim__mock_log(
            "the kernel '%s' cannot be executed: line %u of its PTX: %s: "
            "CUDA_ERROR_NOT_SUPPORTED (register a host function for it, with cushim run "
            "by --kernels; or set unregistered_kernels = skip)",
            name, found->refused_line, found->refused);
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    *kernel = index;
    return CUDA_SUCCESS;
}

struct mock_execution *cushim__mock_execution_create(const struct mock_executed *what)
{
    const struct mock_launch_shape *shape = what->shape;
    const struct ptx_shape laid_out = {
        .grid = {shape->grid[0], shape->grid[1], shape->grid[2]},
        .block = {shape->block[0], shape->block[1], shape->block[2]},
        .dynamic_shared_bytes = shape->shared_bytes,
        .cooperative = shape->cooperative,
        .multiprocessors = (unsigned)cushim__mock->settings.profile
                               .attributes[CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT],
        .grid_id = what->number,
    };
    struct mock_execution *made = calloc(1, sizeof *made);

    if (!made)
        return NULL;
    made->what = *what;
    what->context->printed |= what->variables->code->program->kernels[what->kernel].prints;
    what->context->heap_used |= what->variables->code->program->kernels[what->kernel].allocates;
    made->threads = (uint64_t)shape->block[0] * shape->block[1] * shape->block[2];
    made->block_warps = (made->threads + WARP - 1) / WARP;
    made->warps = (uint64_t)shape->grid[0] * shape->grid[1] * shape->grid[2] * made->block_warps;
    made->state = PTX_RUNNING;
    made->callbacks = callbacks;
    if (cushim__race_detector)
        made->callbacks.access = access_memory;
    if (cushim__race_detector && cushim__mock->settings.races == MOCK_RACES_KERNELS)
        made->callbacks.race = report_race;
    made->launch = cushim__ptx_launch_create(
        what->variables->code->program, what->kernel, &laid_out, what->parameters->bytes,
        what->parameters->byte_count, what->variables->addresses, &made->callbacks, made);
    if (made->launch)
        return made;
    free(made);
    return NULL;
}

bool cushim__mock_execution_step(struct mock_execution *execution, uint64_t *duration_ns)
{
    const struct mock_settings *settings = &cushim__mock->settings;
    const uint64_t limit = settings->kernel_limit;
    const struct ptx_counts before = execution->done;
    const struct ptx_counts *counts = cushim__ptx_counts(execution->launch);
    uint64_t budget = cushim__mock_sim_share(PART), moved_ns;

    if (limit > 0 && limit - before.instructions < budget)
        budget = limit - before.instructions;
    execution->began_ns = cushim__mock->executing_at_ns;
    execution->state = cushim__ptx_run(execution->launch, budget);
    execution->limited =
        execution->state == PTX_RUNNING && limit > 0 && counts->instructions >= limit;
    *duration_ns = time_of(execution, counts->warp_instructions - before.warp_instructions);
    moved_ns = cushim__mock_operation_duration(counts->bytes_read + counts->bytes_written -
                                                   before.bytes_read - before.bytes_written,
                                               settings->costs.device_bytes_per_us);
    if (moved_ns > *duration_ns)
        *duration_ns = moved_ns;
    execution->done = *counts;
    return execution->state == PTX_RUNNING && !execution->limited;
}

/* --- the end of an execution --- */

/* Whether no device may both read and write mapped memory, which explains a fault. */
static bool is_limited(const struct mock_allocation *allocation)
{
    const struct mock_mapping *mapping = cushim__mock_mapping_of(allocation);

    return mapping &&
           cushim__mock_mapping_access(mapping, NULL) != CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
}

/* ` (memory#3+132, 4 bytes beyond its end)`. */
static void say_where(uint64_t address, char *text, size_t size)
{
    const struct mock_allocation *near = cushim__mock_allocation_behind(address);
    struct race_memory memory;
    char tag[MOCK_TAG_SIZE];
    uint64_t offset;

    if (!near && cushim__mock_reservation_at(address)) {
        cushim__mock_allocation_tag(address, tag, sizeof tag);
        snprintf(text, size, " (%s is reserved, but nothing is mapped there)", tag);
        return;
    }
    if (!near)
        near = cushim__mock_allocation_near(address);
    if (!near) {
        snprintf(text, size, " (there is none)");
        return;
    }
    memory = cushim__mock_allocation_race(near);
    cushim__mock_allocation_tag(memory.start, tag, sizeof tag);
    offset = address - memory.start;
    if (address < memory.start)
        snprintf(text, size, " (%" PRIu64 " bytes before %s)", memory.start - address, tag);
    else if (offset == memory.bytes)
        snprintf(text, size, " (%s+%" PRIu64 ", at its end)", tag, offset);
    else if (offset > memory.bytes)
        snprintf(text, size, " (%s+%" PRIu64 ", %" PRIu64 " bytes beyond its end)", tag, offset,
                 offset - memory.bytes);
    else
        snprintf(text, size, " (%s+%" PRIu64 " of %zu bytes%s)", tag, offset, memory.bytes,
                 is_limited(near) ? ", see cuMemSetAccess" : "");
}

/* Whether a fault has an address that allocations can be near to. */
static bool has_address(const struct ptx_fault *fault)
{
    return fault->space == PTX_GLOBAL &&
           (fault->kind == PTX_OUT_OF_BOUNDS || fault->kind == PTX_MISALIGNED ||
            fault->kind == PTX_WRONG_SPACE);
}

static CUresult fault(const struct mock_execution *execution)
{
    const struct ptx_fault *fault = cushim__ptx_fault(execution->launch);
    const CUresult code = (CUresult)fault->kind;
    char where[200] = "";

    if (fault->kind == PTX_ASSERTION)
        cushim__print_format("%s\n", fault->text);
    if (has_address(fault))
        say_where(fault->address, where, sizeof where);
    cushim__mock_kernel_failed("the kernel '%s' (operation %" PRIu64 "), line %u of its PTX, block "
                               "(%u,%u,%u), thread (%u,%u,%u): %s%s: %s",
                               fault->kernel, execution->what.number, fault->line, fault->block[0],
                               fault->block[1], fault->block[2], fault->thread[0], fault->thread[1],
                               fault->thread[2], fault->text, where, cushim__result_name(code));
    return code;
}

/* Log why a kernel was stopped, and where it was. */
static CUresult stop(const struct mock_execution *execution, const char *why)
{
    const struct mock_executed *what = &execution->what;
    struct ptx_fault where = {0};

    cushim__ptx_find_first(execution->launch, &where);
    cushim__mock_kernel_failed(
        "the kernel '%s' (operation %" PRIu64
        ") %s; thread (%u,%u,%u) of block (%u,%u,%u) is at line %u of its PTX: %s",
        what->variables->code->program->kernels[what->kernel].name, what->number, why,
        where.thread[0], where.thread[1], where.thread[2], where.block[0], where.block[1],
        where.block[2], where.line, cushim__result_name(CUDA_ERROR_LAUNCH_TIMEOUT));
    return CUDA_ERROR_LAUNCH_TIMEOUT;
}

static void report_races(struct mock_execution *execution)
{
    const struct mock_executed *what = &execution->what;
    const struct ptx_counts *counts = &execution->done;

    if (cushim__race_detector)
        cushim__mock_accesses_report(execution->accesses, what->number);
    if (counts->unwatched_bytes > 0 || counts->unreported_races > 0)
        cushim__mock_log("not every race of threads of the kernel '%s' (operation %" PRIu64
                         ") is found: accesses of %" PRIu64
                         " bytes are beyond the memory that is watched, and "
                         "%" PRIu64 " races beyond those that are reported",
                         what->variables->code->program->kernels[what->kernel].name, what->number,
                         counts->unwatched_bytes, counts->unreported_races);
}

CUresult cushim__mock_execution_end(struct mock_execution *execution)
{
    flush(execution);
    report_races(execution);
    if (execution->limited)
        return stop(execution, "has not ended after as many instructions as kernel_limit says");
    switch (execution->state) {
    case PTX_FAULT:
        return fault(execution);
    case PTX_STUCK:
        return stop(execution, "hangs: each of its threads waits at a barrier for others");
    case PTX_NO_MEMORY:
        cushim__mock_log(
            "the kernel '%s' (operation %" PRIu64
            ") needs more memory than the host has: CUDA_ERROR_OUT_OF_MEMORY",
            execution->what.variables->code->program->kernels[execution->what.kernel].name,
            execution->what.number);
        return CUDA_ERROR_OUT_OF_MEMORY;
    default:
        return CUDA_SUCCESS;
    }
}

void cushim__mock_execution_destroy(struct mock_execution *execution)
{
    if (!execution)
        return;
    for (size_t i = 0; i < MOCK_ACCESS_USES; i++)
        free(execution->accesses[i].ranges);
    cushim__ptx_launch_destroy(execution->launch);
    free(execution->printed);
    free(execution);
}
