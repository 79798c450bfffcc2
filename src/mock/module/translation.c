/* SPDX-License-Identifier: Apache-2.0 */
/* The program in the PTX of an image, and the variables of its kernels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/mock/context/context.h"
#include "src/mock/core/state.h"
#include "src/mock/memory/allocation.h"
#include "src/mock/module/module.h"
#include "src/mock/module/translation.h"
#include "src/mock/texture/texture.h"
#include "src/ptx/ptx.h"

void cushim__mock_code_wrong(const struct mock_jit *jit, const struct ptx_error *error)
{
    char text[512];

    if (error->line > 0)
        snprintf(text, sizeof text,
                 "ptxas application ptx input, line %u; error   : %s\n"
                 "ptxas fatal   : Ptx assembly aborted due to errors\n",
                 error->line, error->text);
    else
        snprintf(text, sizeof text, "ptxas fatal   : %s\n", error->text);
    cushim__mock_jit_end(jit, text);
    if (error->line > 0)
        cushim__mock_log("PTX is refused: line %u: %s: %s", error->line, error->text,
                         error->instruction);
    else
        cushim__mock_log("PTX is refused: %s", error->text);
}

/*
 * Find the image's variable for one of the program: the text's own, or that of the same name in a
 * cubin beside the text. SIZE_MAX if there is none.
 */
static size_t find_variable(const struct mock_code *code, size_t number)
{
    const struct mock_image *image = &code->image;
    const struct ptx_global *global = &code->program->globals[number];

    for (size_t i = 0; i < image->global_count; i++) {
        const struct mock_image_global *declared = &image->globals[i];

        if (declared->number == number ||
            (declared->number == SIZE_MAX && strcmp(declared->name, global->name) == 0))
            return declared->bytes == global->bytes && declared->constant == global->constant
                       ? i
                       : SIZE_MAX;
    }
    return SIZE_MAX;
}

/* Note how much shared memory each kernel has. Returns false if one has too much. */
static bool note_shared(struct mock_image *image, const struct ptx_module *program,
                        struct ptx_error *error)
{
    const int most = cushim__mock_attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);

    for (size_t i = 0; i < program->kernel_count; i++) {
        const struct ptx_kernel *kernel = &program->kernels[i];
        struct mock_image_kernel *declared = cushim__mock_image_kernel(image, kernel->name);

        if (declared && declared->shared_bytes < kernel->shared_bytes)
            declared->shared_bytes = (unsigned)kernel->shared_bytes;
        if (kernel->shared_bytes > (size_t)most) {
            snprintf(error->text, sizeof error->text,
                     "Entry function '%.150s' uses too much shared data (0x%zx bytes, 0x%x max)",
                     kernel->name, kernel->shared_bytes, (unsigned)most);
            return false;
        }
    }
    return true;
}

CUresult cushim__mock_code_link(struct mock_code *code, const struct mock_jit *jit)
{
    struct ptx_module *const program = code->image.program;
    struct ptx_error error;

    if (cushim__mock->settings.unregistered != MOCK_EXECUTE_KERNELS || !program)
        return CUDA_SUCCESS;
    if (!cushim__ptx_link(program, &error) || !note_shared(&code->image, program, &error)) {
        if (error.kind == PTX_OUT_OF_MEMORY)
            return CUDA_ERROR_OUT_OF_MEMORY;
        if (code->image.beside)
            return CUDA_SUCCESS;
        cushim__mock_code_wrong(jit, &error);
        return CUDA_ERROR_INVALID_PTX;
    }
    code->program = program;
    code->variables = calloc(program->global_count + 1, sizeof *code->variables);
    for (size_t i = 0; code->variables && i < program->global_count; i++)
        code->variables[i] = find_variable(code, i);
    return code->variables ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* Whether the image has the initial value of a variable itself. */
static bool is_filled(const struct mock_code *code, size_t index)
{
    const size_t own = code->variables[index];

    return own != SIZE_MAX && (code->image.globals[own].number != SIZE_MAX);
}

/* Write a variable's initial value to its memory. */
static void fill(const struct mock_variables *variables, size_t index)
{
    const struct ptx_global *global = &variables->code->program->globals[index];
    unsigned char *host =
        cushim__mock_memory_fill(variables->addresses[index], global->initial, global->bytes);

    for (size_t i = 0; host && i < global->address_count; i++) {
        const struct ptx_address *place = &global->addresses[i];
        const uint64_t address =
            place->of_function ? place->value : variables->addresses[place->global] + place->value;
        const uint64_t value = place->bytes == 1 ? address >> place->shift & 0xff : address;

        if (place->offset <= global->bytes && place->bytes <= global->bytes - place->offset)
            memcpy(host + place->offset, &value, place->bytes);
    }
}

static CUresult allocate(struct mock_variables *variables, const struct mock_module *module)
{
    const struct mock_code *code = variables->code;

    for (size_t i = 0; i < variables->count; i++) {
        const struct ptx_global *global = &code->program->globals[i];
        CUdeviceptr address = 0;
        CUresult result = CUDA_SUCCESS;

        if (global->reference) {
            result = cushim__mock_reference_create(module->object.context, &address);
        } else if (code->variables[i] != SIZE_MAX) {
            address = module->addresses[code->variables[i]];
        } else if (global->bytes > 0) {
            result = cushim__mock_memory_allocate(
                module->object.context, module->object.context->device, global->bytes, &address);
            variables->own[i] = result == CUDA_SUCCESS;
        }
        if (result != CUDA_SUCCESS)
            return result;
        variables->addresses[i] = address;
    }
    for (size_t i = 0; i < variables->count; i++) {
        if (variables->addresses[i] != 0 && !is_filled(code, i))
            fill(variables, i);
    }
    return CUDA_SUCCESS;
}

CUresult cushim__mock_variables_create(struct mock_module *module)
{
    struct mock_code *code = module->code;
    struct mock_variables *made;
    size_t count;

    if (!code->program)
        return CUDA_SUCCESS;
    count = code->program->global_count;
    made = calloc(1, sizeof *made);
    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    made->references = 1;
    made->code = cushim__mock_code_retain(code);
    made->count = count;
    module->variables = made;
    made->addresses = calloc(count + 1, sizeof *made->addresses);
    made->own = calloc(count + 1, sizeof *made->own);
    return made->addresses && made->own ? allocate(made, module) : CUDA_ERROR_OUT_OF_MEMORY;
}

struct mock_variables *cushim__mock_variables_retain(struct mock_variables *variables)
{
    variables->references++;
    return variables;
}

static bool has_references(const struct mock_variables *variables)
{
    for (size_t i = 0; i < variables->count; i++) {
        if (variables->code->program->globals[i].reference)
            return true;
    }
    return false;
}

struct mock_variables *cushim__mock_variables_for_launch(struct mock_variables *variables,
                                                         struct mock_context *context)
{
    const struct ptx_global *globals = variables->code->program->globals;
    struct mock_variables *made;
    bool well;

    if (!has_references(variables))
        return cushim__mock_variables_retain(variables);
    made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    made->references = 1;
    made->code = cushim__mock_code_retain(variables->code);
    made->count = variables->count;
    made->addresses = calloc(made->count, sizeof *made->addresses);
    well = made->addresses != NULL;
    for (size_t i = 0; well && i < made->count; i++) {
        made->addresses[i] = variables->addresses[i];
        if (globals[i].reference)
            well = cushim__mock_reference_copy(context, &made->addresses[i]) == CUDA_SUCCESS;
    }
    if (well)
        return made;
    cushim__mock_variables_release(made);
    return NULL;
}

static void free_references(const struct mock_variables *variables)
{
    for (size_t i = 0; variables->addresses && i < variables->count; i++) {
        if (variables->code->program->globals[i].reference)
            cushim__mock_reference_destroy(variables->addresses[i]);
    }
}

void cushim__mock_variables_release(struct mock_variables *variables)
{
    if (!variables || --variables->references > 0)
        return;
    free_references(variables);
    cushim__mock_code_release(variables->code);
    free(variables->addresses);
    free(variables->own);
    free(variables);
}

void cushim__mock_variables_free(struct mock_variables *variables)
{
    for (size_t i = 0; variables && variables->own && i < variables->count; i++) {
        if (variables->own[i])
            cushim__mock_memory_free(variables->addresses[i]);
        variables->own[i] = false;
    }
}
