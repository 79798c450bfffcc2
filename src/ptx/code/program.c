/* SPDX-License-Identifier: Apache-2.0 */
/* The program of a module: its kernels by name, and its release. */
#include <stdlib.h>
#include <string.h>

#include "src/ptx/code/code.h"

void cushim__ptx_program_release(struct ptx_program *program)
{
    const struct ptx_module *module = &program->module;

    if (__atomic_sub_fetch(&program->references, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    for (size_t i = 0; i < module->kernel_count; i++)
        free((void *)program->kernels[i].parameters);
    for (size_t i = 0; i < module->global_count; i++) {
        free((void *)program->globals[i].name);
        free((void *)program->globals[i].initial);
        free((void *)program->globals[i].addresses);
    }
    for (uint32_t i = 0; i < program->function_count; i++) {
        free(program->functions[i].name);
        free(program->functions[i].parameters);
        free(program->functions[i].refused);
        free(program->functions[i].callees);
        free(program->functions[i].shared);
        free(program->functions[i].shared_offsets);
    }
    for (uint32_t i = 0; i < program->shared_count; i++)
        free(program->shared[i].name);
    free(program->kernels);
    free(program->globals);
    free(program->functions);
    free(program->shared);
    free(program->code);
    free(program->lists);
    free(program->constants);
    free(program);
}

size_t cushim__ptx_find_kernel(const struct ptx_module *module, const char *name)
{
    for (size_t i = 0; i < module->kernel_count; i++) {
        if (strcmp(module->kernels[i].name, name) == 0)
            return i;
    }
    return SIZE_MAX;
}
