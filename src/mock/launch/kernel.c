/* SPDX-License-Identifier: Apache-2.0 */
/* The registry of host functions that simulate kernels, by the name of the kernel. */
#include "src/mock/launch/kernel.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/name.h"
#include "src/base/options.h"
#include "src/mock/core/state.h"
#include "src/mock/memory/allocation.h"

static const size_t spin_sizes[] = {sizeof(uint64_t)};
static const enum cushim_mock_access spin_accesses[] = {CUSHIM_MOCK_ACCESS_NONE};

/* The kernels that every mock has. */
static const struct cushim_mock_kernel built_in[] = {
    {.name = "cushim_nothing"},
    {.name = "cushim_spin",
     .parameter_sizes = spin_sizes,
     .parameter_count = 1,
     .accesses = spin_accesses},
    {.name = "cushim_fault", .fault = CUDA_ERROR_ILLEGAL_ADDRESS},
    {.name = "cushim_trap", .fault = CUDA_ERROR_LAUNCH_FAILED},
};

static const char spin_name[] = "cushim_spin";

static bool accesses_valid(const struct cushim_mock_kernel *kernel)
{
    for (size_t i = 0; kernel->accesses && i < kernel->parameter_count; i++) {
        if ((unsigned)kernel->accesses[i] > CUSHIM_MOCK_ACCESS_READ_WRITE)
            return false;
    }
    return true;
}

struct mock_kernel_entry *cushim__mock_kernel_entry_find(const char *name)
{
    struct mock_kernel_entry *entry = cushim__mock->kernels;

    while (entry && strcmp(entry->name, name) != 0)
        entry = entry->next;
    return entry;
}

struct mock_kernel_entry *cushim__mock_kernel_entry_retain(struct mock_kernel_entry *entry)
{
    entry->references++;
    entry->launched = true;
    return entry;
}

const char *cushim__mock_kernel_unused(size_t index)
{
    const struct mock_kernel_entry *entry = cushim__mock->kernels;

    while (entry && (entry->built_in || entry->launched || index-- > 0))
        entry = entry->next;
    return entry ? entry->name : NULL;
}

void cushim__mock_kernel_entry_release(struct mock_kernel_entry *entry)
{
    if (!entry || --entry->references > 0)
        return;
    free(entry->parameter_sizes);
    free(entry->accesses);
    free(entry->access_bytes);
    free(entry->name);
    free(entry);
}

/* Copy an array, or create a zeroed one if `from` is NULL. Returns NULL if memory runs out. */
static void *copy_array(const void *from, size_t count, size_t size)
{
    void *to = calloc(count > 0 ? count : 1, size);

    if (to && from && count > 0)
        memcpy(to, from, count * size);
    return to;
}

/* Copy how the kernel accesses memory. Returns false if memory runs out. */
static bool copy_accesses(struct mock_kernel_entry *entry, const struct cushim_mock_kernel *kernel)
{
    if (!kernel->accesses && !kernel->access_bytes)
        return true;
    entry->access_count = kernel->parameter_count;
    entry->accesses =
        copy_array(kernel->accesses, kernel->parameter_count, sizeof *entry->accesses);
    entry->access_bytes =
        copy_array(kernel->access_bytes, kernel->parameter_count, sizeof *entry->access_bytes);
    return entry->accesses && entry->access_bytes;
}

static struct mock_kernel_entry *create(const struct cushim_mock_kernel *kernel)
{
    struct mock_kernel_entry *entry = calloc(1, sizeof *entry);

    if (!entry)
        return NULL;
    entry->references = 1;
    entry->duration_ns = kernel->duration_ns;
    entry->run = kernel->run;
    entry->data = kernel->data;
    entry->fault = kernel->fault;
    entry->has_sizes = kernel->parameter_sizes != NULL;
    entry->name = cushim__name_copy(kernel->name, strlen(kernel->name));
    if (entry->has_sizes) {
        entry->parameter_count = kernel->parameter_count;
        entry->parameter_sizes = copy_array(kernel->parameter_sizes, kernel->parameter_count,
                                            sizeof *entry->parameter_sizes);
    }
    if (!entry->name || (entry->has_sizes && !entry->parameter_sizes) ||
        !copy_accesses(entry, kernel)) {
        cushim__mock_kernel_entry_release(entry);
        return NULL;
    }
    return entry;
}

/* Register a kernel, in place of one of the same name. Queued launches keep the old one. */
static CUresult put(const struct cushim_mock_kernel *kernel, bool is_built_in)
{
    struct mock_kernel_entry *entry = create(kernel);
    struct mock_kernel_entry **link = &cushim__mock->kernels, *old;

    if (!entry)
        return CUDA_ERROR_OUT_OF_MEMORY;
    entry->built_in = is_built_in;
    entry->spins = is_built_in && strcmp(kernel->name, spin_name) == 0;
    while (*link && strcmp((*link)->name, kernel->name) != 0)
        link = &(*link)->next;
    old = *link;
    entry->next = old ? old->next : NULL;
    *link = entry;
    cushim__mock_kernel_entry_release(old);
    return CUDA_SUCCESS;
}

CUresult cushim_mock_register_kernel(struct cushim_mock *mock,
                                     const struct cushim_mock_kernel *kernel)
{
    struct cushim_mock_kernel known = {.size = sizeof known};
    CUresult code;

    if (!mock || !kernel || !cushim__options_read(&known, sizeof known, kernel) || !known.name ||
        known.name[0] == '\0' ||
        (known.parameter_count > 0 && !known.parameter_sizes && !known.accesses &&
         !known.access_bytes))
        return CUDA_ERROR_INVALID_VALUE;
    if (known.parameter_count > SIZE_MAX / sizeof *known.parameter_sizes)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (!accesses_valid(&known))
        return CUDA_ERROR_INVALID_VALUE;
    cushim__mock_lock(mock);
    code = put(&known, false);
    cushim__mock_unlock(mock);
    return code;
}

CUresult cushim__mock_kernels_create(void)
{
    CUresult code = CUDA_SUCCESS;

    for (size_t i = 0; code == CUDA_SUCCESS && i < sizeof built_in / sizeof *built_in; i++)
        code = put(&built_in[i], true);
    return code;
}

void cushim__mock_kernels_clear(void)
{
    struct mock_kernel_entry *entry = cushim__mock->kernels;

    while (entry) {
        struct mock_kernel_entry *next = entry->next;

        cushim__mock_kernel_entry_release(entry);
        entry = next;
    }
    cushim__mock->kernels = NULL;
}

void *cushim_mock_memory(struct cushim_mock *mock, CUdeviceptr address, size_t bytes)
{
    void *host;

    if (!mock)
        return NULL;
    cushim__mock_lock(mock);
    host = cushim__mock_memory_host(address, bytes);
    cushim__mock_unlock(mock);
    return host;
}
