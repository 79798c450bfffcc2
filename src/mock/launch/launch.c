/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of kernels as operations: their parameters, checks and effects. */
#include <stdlib.h>
#include <string.h>

#include "src/mock/context/context.h"
#include "src/mock/core/state.h"
#include "src/mock/launch/execution.h"
#include "src/mock/launch/kernel.h"
#include "src/mock/module/module.h"
#include "src/mock/module/translation.h"
#include "src/race/race.h"

static size_t align(size_t offset, size_t alignment)
{
    return (offset + alignment - 1) / alignment * alignment;
}

/* The offset of a parameter after others, assuming from its size that it is aligned to itself. */
static size_t place(size_t offset, size_t bytes)
{
    size_t alignment = 1;

    while (alignment < 16 && bytes % (alignment * 2) == 0 && bytes > 0)
        alignment *= 2;
    return align(offset, alignment);
}

/* A kernel's parameters as a launch knows them: as registered, or as the image declares them. */
struct layout {
    const struct mock_image_kernel *kernel;
    const struct mock_kernel_entry *entry; /* NULL if the image declares them */
    size_t count;
    bool known;
};

static struct layout layout_of(const struct mock_image_kernel *kernel)
{
    const struct mock_kernel_entry *entry = cushim__mock_kernel_entry_find(kernel->name);

    if (entry && entry->has_sizes)
        return (struct layout){kernel, entry, entry->parameter_count, true};
    return (struct layout){kernel, NULL, kernel->parameter_count, kernel->known};
}

static size_t size_of(const struct layout *layout, size_t index)
{
    return layout->entry ? layout->entry->parameter_sizes[index]
                         : layout->kernel->parameters[index].bytes;
}

/* Return the offset of a parameter; `offset` is where the one before it ends. */
static size_t offset_of(const struct layout *layout, size_t index, size_t offset)
{
    if (layout->kernel->known && layout->kernel->parameter_count == layout->count)
        return layout->kernel->parameters[index].offset;
    return place(offset, size_of(layout, index));
}

/*
 * Create zeroed room for all parameters of a kernel: those that are registered with it, or else
 * those that the image declares. Returns NULL if memory runs out.
 */
static struct mock_parameters *parameters_create(const struct mock_image_kernel *kernel)
{
    const struct layout layout = layout_of(kernel);
    const size_t count = layout.count;
    struct mock_parameters *made;
    size_t offset = 0, end = 0, head;

    /* An image may list parameters in any order. */
    for (size_t i = 0; i < count; i++) {
        offset = offset_of(&layout, i, offset) + size_of(&layout, i);
        end = offset > end ? offset : end;
    }
    head = align(sizeof *made + count * (sizeof *made->values + sizeof *made->sizes), 16);
    made = calloc(1, head + end);
    if (!made)
        return NULL;
    made->references = 1;
    made->count = count;
    made->values = (void **)(made + 1);
    made->sizes = (size_t *)(made->values + count);
    made->byte_count = end;
    made->bytes = (unsigned char *)made + head;
    offset = 0;
    for (size_t i = 0; i < count; i++) {
        offset = offset_of(&layout, i, offset);
        made->values[i] = made->bytes + offset;
        made->sizes[i] = size_of(&layout, i);
        offset += made->sizes[i];
    }
    return made;
}

/* Read `CU_LAUNCH_PARAM_...` pairs. Returns false if they make no sense. */
static bool read_extra(void **extra, const void **buffer, size_t *bytes)
{
    *buffer = NULL;
    *bytes = 0;
    for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
        if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
            *buffer = extra[1];
        else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE && extra[1])
            *bytes = *(const size_t *)extra[1];
        else
            return false;
    }
    return true;
}

/*
 * Copy from the buffer that `extra` of cuLaunchKernel names. Returns INVALID_VALUE if it names none
 * or makes no sense, LAUNCH_OUT_OF_RESOURCES if it is too large. What a short buffer lacks is zero.
 */
static CUresult parameters_copy_extra(struct mock_parameters *parameters, void **extra)
{
    const void *buffer;
    size_t bytes;

    if (!read_extra(extra, &buffer, &bytes))
        return CUDA_ERROR_INVALID_VALUE;
    if (parameters->byte_count > 0 && (!buffer || bytes == 0))
        return CUDA_ERROR_INVALID_VALUE;
    if (bytes > parameters->byte_count)
        return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    if (bytes > 0)
        memcpy(parameters->bytes, buffer, bytes);
    return CUDA_SUCCESS;
}

/* Copy each parameter from its address. Returns INVALID_VALUE if one of them is NULL. */
static CUresult parameters_copy(struct mock_parameters *parameters, void **values)
{
    for (size_t i = 0; i < parameters->count; i++) {
        if (!values || !values[i])
            return CUDA_ERROR_INVALID_VALUE;
        memcpy(parameters->values[i], values[i], parameters->sizes[i]);
    }
    return CUDA_SUCCESS;
}

static void parameters_release(struct mock_parameters *parameters)
{
    if (parameters && --parameters->references == 0)
        free(parameters);
}

struct launch {
    struct mock_operation operation;
    const void *function;               /* its handle */
    struct mock_kernel_entry *entry;    /* NULL if not registered, and executed or skipped */
    struct mock_parameters *parameters; /* NULL if there are none */
    struct mock_launch_shape shape;
    /* For kernels that are executed: */
    struct mock_context *context;
    struct mock_variables *variables; /* NULL if it is not executed */
    size_t kernel;
    struct mock_execution *execution; /* NULL if it has not begun */
    unsigned tries;                   /* failed tries to begin, for lack of memory */
};

/* How often, and at what interval, to retry an execution that cannot begin for lack of memory. */
enum { TRIES = 1000, TRY_NS = 1000 };

static bool launch_copy(const struct mock_operation *from, struct mock_operation *to)
{
    struct launch *copy = (struct launch *)to;

    (void)from;
    if (copy->entry)
        cushim__mock_kernel_entry_retain(copy->entry);
    if (copy->parameters)
        copy->parameters->references++;
    if (copy->variables)
        cushim__mock_variables_retain(copy->variables);
    return true;
}

static void launch_drop(struct mock_operation *operation)
{
    struct launch *launch = (struct launch *)operation;

    if (launch->variables)
        cushim__race_deferred_end(operation->number);
    cushim__mock_execution_destroy(launch->execution);
    cushim__mock_variables_release(launch->variables);
    cushim__mock_kernel_entry_release(launch->entry);
    parameters_release(launch->parameters);
}

/* Report the memory that a parameter points to. */
static void touch_parameter(const struct launch *launch, size_t index,
                            const struct race_access *operation)
{
    static const enum race_use uses[] = {
        [CUSHIM_MOCK_ACCESS_UNKNOWN] = RACE_MAY_WRITE,
        [CUSHIM_MOCK_ACCESS_READ] = RACE_READS,
        [CUSHIM_MOCK_ACCESS_WRITE] = RACE_WRITES,
        [CUSHIM_MOCK_ACCESS_READ_WRITE] = RACE_WRITES,
    };
    const struct mock_kernel_entry *entry = launch->entry;
    const bool known = entry && index < entry->access_count;
    const enum cushim_mock_access access =
        known ? entry->accesses[index] : CUSHIM_MOCK_ACCESS_UNKNOWN;
    CUdeviceptr address;

    if (access == CUSHIM_MOCK_ACCESS_NONE || launch->parameters->sizes[index] != sizeof address)
        return;
    memcpy(&address, launch->parameters->values[index], sizeof address);
    cushim__race_use_from(operation, address, known ? entry->access_bytes[index] : 0, uses[access]);
}

static void launch_touch(const struct mock_operation *operation, struct race_access *access)
{
    const struct launch *launch = (const struct launch *)operation;
    const struct mock_function *function =
        cushim__mock_object_lookup(launch->function, MOCK_FUNCTION);

    if (launch->entry)
        cushim__race_set_name(access, launch->entry->name);
    else if (function)
        cushim__race_set_name(access, function->kernel->name);
    if (launch->variables)
        cushim__race_defer(access);
    for (size_t i = 0; !launch->variables && launch->parameters && i < launch->parameters->count;
         i++)
        touch_parameter(launch, i, access);
}

/* Runs under the lock, which the program's function may not take: see cushim__in_kernel. */
static CUresult launch_execute(struct mock_operation *operation)
{
    const struct launch *launch = (const struct launch *)operation;
    const struct mock_launch_shape *shape = &launch->shape;
    const struct mock_parameters *parameters = launch->parameters;
    struct cushim_mock_launch seen = {
        .size = sizeof seen,
        .grid = {shape->grid[0], shape->grid[1], shape->grid[2]},
        .block = {shape->block[0], shape->block[1], shape->block[2]},
        .shared_bytes = shape->shared_bytes,
    };

    if (!launch->entry)
        return CUDA_SUCCESS;
    if (launch->entry->run) {
        seen.name = launch->entry->name;
        seen.parameter_count = parameters->count;
        seen.parameters = (const void *const *)parameters->values;
        seen.parameter_sizes = parameters->sizes;
        cushim__in_kernel = true;
        launch->entry->run(&seen, launch->entry->data);
        cushim__in_kernel = false;
    }
    return launch->entry->fault;
}

static const struct mock_operation_class launch_class = {
    .name = "kernel",
    .size = sizeof(struct launch),
    .node_type = CU_GRAPH_NODE_TYPE_KERNEL,
    .execute = launch_execute,
    .copy = launch_copy,
    .touch = launch_touch,
    .drop = launch_drop,
};

/* Begin or continue the kernel. Returns false if it has ended or lacked memory to begin. */
static bool execution_step(struct mock_operation *operation, uint64_t *duration_ns)
{
    struct launch *launch = (struct launch *)operation;

    if (!launch->execution)
        launch->execution =
            cushim__mock_execution_create(&(struct mock_executed){.variables = launch->variables,
                                                                  .kernel = launch->kernel,
                                                                  .context = launch->context,
                                                                  .shape = &launch->shape,
                                                                  .parameters = launch->parameters,
                                                                  .number = operation->number});
    if (launch->execution)
        return cushim__mock_execution_step(launch->execution, duration_ns);
    *duration_ns = TRY_NS;
    return ++launch->tries < TRIES;
}

static CUresult execution_end(struct mock_operation *operation)
{
    const struct launch *launch = (const struct launch *)operation;

    return launch->execution ? cushim__mock_execution_end(launch->execution)
                             : CUDA_ERROR_OUT_OF_MEMORY;
}

/* Launches of kernels that are executed. */
static const struct mock_operation_class executed_class = {
    .name = "kernel",
    .size = sizeof(struct launch),
    .node_type = CU_GRAPH_NODE_TYPE_KERNEL,
    .step = execution_step,
    .execute = execution_end,
    .copy = launch_copy,
    .touch = launch_touch,
    .drop = launch_drop,
};

/* The attributes of the largest extents have consecutive numbers. */
static bool within(const unsigned extents[3], CUdevice_attribute first)
{
    for (unsigned i = 0; i < 3; i++) {
        if (extents[i] == 0 || extents[i] > (unsigned)cushim__mock_attribute((int)(first + i)))
            return false;
    }
    return true;
}

CUresult cushim__mock_launch_check(const struct mock_function *function,
                                   const struct mock_launch_shape *shape)
{
    const struct mock_image_kernel *kernel = function->kernel;
    const uint64_t threads = (uint64_t)shape->block[0] * shape->block[1] * shape->block[2];
    unsigned blocks;

    if (!within(shape->grid, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X) ||
        !within(shape->block, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X) ||
        threads > cushim__mock_function_threads(kernel) ||
        shape->shared_bytes > (unsigned)function->settings.dynamic_shared_bytes)
        return CUDA_ERROR_INVALID_VALUE;
    if (kernel->required_block[0] > 0 &&
        memcmp(kernel->required_block, shape->block, sizeof shape->block) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    return kernel->required_cluster[0] > 0
               ? cushim__mock_function_cluster(function, shape->grid, kernel->required_cluster,
                                               &blocks)
               : CUDA_SUCCESS;
}

/*
 * A spinning kernel takes as long as its parameter says. For an executed kernel, this is the time
 * before its first instruction.
 */
static uint64_t duration_of(const struct mock_kernel_entry *entry,
                            const struct mock_parameters *parameters, bool is_executed)
{
    uint64_t duration_ns;

    if (!entry)
        return is_executed ? cushim__mock->settings.costs.operation_ns : 0;
    if (!entry->spins)
        return entry->duration_ns;
    memcpy(&duration_ns, parameters->values[0], sizeof duration_ns);
    return duration_ns;
}

/* Decide what a launch of an unregistered kernel does: nothing if `*variables` becomes NULL. */
static CUresult find_unregistered(const struct mock_function *function,
                                  struct mock_variables **variables, size_t *kernel)
{
    const enum mock_unregistered setting = cushim__mock->settings.unregistered;
    const char *why, *advice;
    CUresult code = CUDA_ERROR_NOT_FOUND;

    *variables = NULL;
    if (setting == MOCK_SKIP_KERNELS)
        return CUDA_SUCCESS;
    if (setting == MOCK_EXECUTE_KERNELS) {
        *variables = function->module->variables;
        code = cushim__mock_execution_find(*variables, function->kernel->name, kernel);
    }
    if (code != CUDA_ERROR_NOT_FOUND)
        return code;
    if (!CUSHIM_KERNELS) {
        why = "this mock was built without the execution of kernels";
        advice = "register it, with cushim run by --kernels; or build cushim with "
                 "-Dkernels=enabled";
    } else if (setting != MOCK_EXECUTE_KERNELS) {
        why = "what it does is not to be found out";
        advice = "register it, with cushim run by --kernels; or set "
                 "unregistered_kernels = execute";
    } else if (function->module->code->image.needs_zstd) {
        why = "its PTX is compressed by Zstandard, which this mock was built without";
        advice = "build cushim with libzstd, or compile with nvcc --compress-mode=none; or "
                 "register it";
    } else {
        why = "its image has no PTX that can be read";
        advice = "embed PTX; or register it, with cushim run by --kernels; or set "
                 "unregistered_kernels = skip";
    }
    cushim__mock_log("the kernel '%s' is not registered, and %s: CUDA_ERROR_NOT_SUPPORTED (%s)",
                     function->kernel->name, why, advice);
    return CUDA_ERROR_NOT_SUPPORTED;
}

/* Make the operation of a launch. Takes the parameters over, in any case. */
static CUresult create(struct mock_function *function, const struct mock_launch_shape *shape,
                       struct mock_parameters *parameters, struct mock_operation **operation)
{
    struct mock_kernel_entry *entry = cushim__mock_kernel_entry_find(function->kernel->name);
    struct mock_variables *variables = NULL;
    struct launch *launch;
    size_t kernel = 0;
    bool executed;
    CUresult code = entry ? CUDA_SUCCESS : find_unregistered(function, &variables, &kernel);

    if (code != CUDA_SUCCESS) {
        parameters_release(parameters);
        return code;
    }
    executed = variables != NULL;
    if (executed)
        variables = cushim__mock_variables_for_launch(variables, function->object.context);
    launch =
        executed && !variables
            ? NULL
            : cushim__mock_operation_create(executed ? &executed_class : &launch_class,
                                            MOCK_COMPUTE, duration_of(entry, parameters, executed));
    if (!launch) {
        cushim__mock_variables_release(variables);
        parameters_release(parameters);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    function->loaded = true;
    launch->function = function->object.handle;
    launch->entry = entry ? cushim__mock_kernel_entry_retain(entry) : NULL;
    launch->parameters = parameters;
    launch->shape = *shape;
    launch->context = function->object.context;
    launch->variables = variables;
    launch->kernel = kernel;
    *operation = &launch->operation;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_launch_create(struct mock_function *function,
                                    const struct mock_launch_shape *shape, void **values,
                                    void **extra, struct mock_operation **operation)
{
    CUresult code = cushim__mock_launch_check(function, shape);
    struct mock_parameters *copies;

    if (values && extra && *extra == CU_LAUNCH_PARAM_END)
        extra = NULL; /* an array of only an end is as good as none */
    if (code == CUDA_SUCCESS && values && extra)
        code = CUDA_ERROR_INVALID_VALUE;
    if (code != CUDA_SUCCESS)
        return code;
    copies = parameters_create(function->kernel);
    if (!copies)
        return CUDA_ERROR_OUT_OF_MEMORY;
    code = extra ? parameters_copy_extra(copies, extra) : parameters_copy(copies, values);
    if (code != CUDA_SUCCESS) {
        parameters_release(copies);
        return code;
    }
    return create(function, shape, copies, operation);
}

CUresult cushim__mock_kernel_operation(const CUDA_KERNEL_NODE_PARAMS *params,
                                       struct mock_operation **operation)
{
    const struct mock_launch_shape shape = {
        .grid = {params->gridDimX, params->gridDimY, params->gridDimZ},
        .block = {params->blockDimX, params->blockDimY, params->blockDimZ},
        .shared_bytes = params->sharedMemBytes,
    };
    struct mock_context *context = NULL;
    struct mock_function *function;
    CUresult code = CUDA_SUCCESS;

    if (!params->func && !params->kern)
        return CUDA_ERROR_INVALID_VALUE;
    if (params->ctx)
        code = cushim__mock_context_find(params->ctx, &context);
    if (code == CUDA_SUCCESS)
        code = cushim__mock_function_in(params->func ? (const void *)params->func
                                                     : (const void *)params->kern,
                                        context, &function);
    if (code != CUDA_SUCCESS)
        return code;
    return cushim__mock_launch_create(function, &shape, params->kernelParams, params->extra,
                                      operation);
}

void cushim__mock_kernel_params(const struct mock_operation *operation,
                                CUDA_KERNEL_NODE_PARAMS *params)
{
    const struct launch *launch = (const struct launch *)operation;
    const struct mock_launch_shape *shape = &launch->shape;
    const struct mock_parameters *parameters = launch->parameters;

    *params = (CUDA_KERNEL_NODE_PARAMS){
        .func = (CUfunction)(uintptr_t)launch->function,
        .gridDimX = shape->grid[0],
        .gridDimY = shape->grid[1],
        .gridDimZ = shape->grid[2],
        .blockDimX = shape->block[0],
        .blockDimY = shape->block[1],
        .blockDimZ = shape->block[2],
        .sharedMemBytes = shape->shared_bytes,
        .kernelParams = parameters->count > 0 ? parameters->values : NULL,
    };
}
