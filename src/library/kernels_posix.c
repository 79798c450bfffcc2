/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels of an unmodified program. A library that CUSHIM_MOCK_KERNELS names is loaded beside the
 * mock and registers them. It is given the functions that it may call, because it cannot link to
 * the copy of the mock that the program has.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/print.h"
#include "src/base/system.h"
#include "src/driver_api/result.h"
#include "src/library/library.h"
#include "src/mock/launch/kernel.h"
#include "src/mock/mock.h"

static const char entry_name[] = "cushim_mock_kernels_register";

static char *file; /* NULL if none is loaded */

static bool load(struct cushim_mock *mock, char *message, size_t size)
{
    static struct cushim_mock_functions functions = {
        .size = sizeof functions,
        .register_kernel = cushim_mock_register_kernel,
        .memory = cushim_mock_memory,
    };
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    void *symbol = library ? dlsym(library, entry_name) : NULL;
    CUresult (*entry)(const struct cushim_mock_functions *functions), code;

    if (!library) {
        const char *why = dlerror();

        snprintf(message, size,
                 "the kernels cannot be loaded: %s; build them with `cc -shared -fPIC`",
                 why ? why : file);
        return false;
    }
    if (!symbol) {
        snprintf(message, size,
                 "%s exports no %s(), which registers kernels: define it as cushim/testing/mock.h "
                 "says, in C++ as extern \"C\"",
                 file, entry_name);
        return false;
    }
    memcpy(&entry, &symbol, sizeof entry);
    functions.mock = mock;
    code = entry(&functions);
    if (code != CUDA_SUCCESS)
        snprintf(message, size, "%s() of %s returned %s", entry_name, file,
                 cushim__result_name(code) ? cushim__result_name(code) : "no result code");
    return code == CUDA_SUCCESS;
}

bool cushim__library_kernels(struct cushim_mock *mock, char *message, size_t size)
{
    if (!cushim__system_variable_nonempty("CUSHIM_MOCK_KERNELS", &file)) {
        snprintf(message, size, "there is no memory for the name of its kernels' file");
        return false;
    }
    return !file || load(mock, message, size);
}

void cushim__library_kernels_print_unused(void)
{
    const char *name;

    for (size_t i = 0; file && (name = cushim__mock_kernel_unused(i)) != NULL; i++)
        cushim__print_format("cushim mock: kernel '%s' of %s was never launched\n", name, file);
}
