/* SPDX-License-Identifier: Apache-2.0 */
/* The PTX of images, translated for those who execute it, and the variables of its kernels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/mock/api/context.h"
#include "src/mock/api/execution.h"
#include "src/mock/api/memory.h"
#include "src/mock/api/module.h"
#include "src/mock/api/texture.h"
#include "src/mock/core/state.h"
#include "src/mock/kernel/ptx.h"

/* Report what is wrong with PTX to the log of the options, as ptxas does, and to that of the mock. */
static CUresult refuse(const struct mock_jit *jit, const struct ptx_error *error)
{
    char text[512];

    if (error->no_memory)
        return CUDA_ERROR_OUT_OF_MEMORY;
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
    return CUDA_ERROR_INVALID_PTX;
}

/* Whether all texts were read for what they declare: a driver would compile them. */
static bool are_parts(const struct mock_image *image)
{
    for (size_t i = 0; i < image->text_count; i++) {
        if (image->texts[i].part == 0)
            return false;
    }
    return true;
}

static struct ptx_module *translate(const struct mock_image *image, struct ptx_error *error)
{
    struct ptx_module *program = cushim__ptx_create();
    bool good = program != NULL;

    if (!program)
        error->no_memory = true;
    for (size_t i = 0; good && i < image->text_count; i++)
        good = cushim__ptx_add(program, image->texts[i].text, image->texts[i].bytes, error);
    if (good)
        return program;
    if (program)
        cushim__ptx_release(program);
    return NULL;
}

CUresult cushim__mock_code_check(const struct mock_image *image, const struct mock_jit *jit)
{
    struct ptx_error error = {.no_memory = false};
    struct ptx_module *program;

    if (cushim__mock->settings.unregistered != MOCK_EXECUTE_KERNELS || image->text_count == 0)
        return CUDA_SUCCESS;
    program = translate(image, &error);
    if (!program)
        return refuse(jit, &error);
    cushim__ptx_release(program);
    return CUDA_SUCCESS;
}

/* Which of the image's variables each of the program's is; SIZE_MAX: none. */
static bool find_variables(struct mock_code *code)
{
    const struct ptx_module *program = code->program;
    const struct mock_image *image = &code->image;

    code->variables = calloc(program->global_count + 1, sizeof *code->variables);
    if (!code->variables)
        return false;
    for (size_t i = 0; i < program->global_count; i++) {
        const struct ptx_global *global = &program->globals[i];
        const unsigned part = image->texts[global->part].part;
        const struct mock_image_global *declared =
            part > 0 ? cushim__mock_image_global_of(image, global->name, part)
                     : cushim__mock_image_global(image, global->name);

        code->variables[i] =
            declared && declared->bytes == global->bytes && declared->constant == global->constant
                ? (size_t)(declared - image->globals)
                : SIZE_MAX;
    }
    return true;
}

CUresult cushim__mock_code_translate(struct mock_code *code, const struct mock_jit *jit)
{
    struct ptx_error error = {.no_memory = false};
    CUresult result = CUDA_SUCCESS;

    if (cushim__mock->settings.unregistered == MOCK_EXECUTE_KERNELS && code->image.text_count > 0) {
        code->program = translate(&code->image, &error);
        if (code->program && !cushim__ptx_link(code->program, &error)) {
            cushim__ptx_release(code->program);
            code->program = NULL;
        }
        if (!code->program && (error.no_memory || are_parts(&code->image)))
            result = refuse(jit, &error);
        else if (code->program && !find_variables(code))
            result = CUDA_ERROR_OUT_OF_MEMORY;
    }
    cushim__mock_image_forget_texts(&code->image);
    return result;
}

/* Write an initial value to where the variable is. */
static void fill(const struct mock_variables *variables, size_t index)
{
    const struct ptx_global *global = &variables->code->program->globals[index];
    unsigned char *host = cushim__mock_memory_host(variables->addresses[index], global->bytes);

    if (!host)
        return;
    if (global->initial)
        memcpy(host, global->initial, global->bytes);
    else
        memset(host, 0, global->bytes);
    for (size_t i = 0; i < global->address_count; i++) {
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
        if (variables->addresses[i] != 0)
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
