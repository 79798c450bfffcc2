/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The linker reads its inputs and keeps them unchanged. Its output contains all of them and is
 * complete, so that another process can load it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/mock/context/context.h"
#include "src/mock/core/state.h"
#include "src/mock/functions/functions.h"
#include "src/mock/module/module.h"

struct mock_link {
    struct mock_object object;
    struct mock_jit jit;     /* the outputs that cuLinkCreate was given */
    struct mock_image image; /* all parts so far */
    struct mock_joined_part *parts;
    size_t part_count;
    void *result;
    bool complete;
    bool stale;       /* `image` contains what was read of a refused input */
    CUresult failure; /* why the inputs cannot be linked */
};

static void drop(void *object)
{
    struct mock_link *link = object;

    for (size_t i = 0; i < link->part_count; i++)
        free((void *)(uintptr_t)link->parts[i].start);
    free(link->parts);
    free(link->result);
    cushim__mock_image_clear(&link->image);
    free(link);
}

static CUresult keep(struct mock_link *link, const void *bytes, size_t count)
{
    struct mock_joined_part *parts =
        realloc(link->parts, (link->part_count + 1) * sizeof *link->parts);
    void *copy;

    if (!parts)
        return CUDA_ERROR_OUT_OF_MEMORY;
    link->parts = parts;
    copy = malloc(count);
    if (!copy)
        return CUDA_ERROR_OUT_OF_MEMORY;
    memcpy(copy, bytes, count);
    link->parts[link->part_count++] = (struct mock_joined_part){.start = copy, .bytes = count};
    return CUDA_SUCCESS;
}

/* Forget the part that was kept last. */
static void let_go(struct mock_link *link)
{
    free((void *)(uintptr_t)link->parts[--link->part_count].start);
}

/* Return whether the bytes are an archive of object files (ar) that has a member. */
static bool is_archive(const char *bytes, size_t count)
{
    static const char archive[] = "!<arch>\n";
    enum { MEMBER = sizeof archive - 1, MEMBER_BYTES = 60 };

    return count >= MEMBER + MEMBER_BYTES && memcmp(bytes, archive, MEMBER) == 0 &&
           memcmp(bytes + MEMBER + MEMBER_BYTES - 2, "`\n", 2) == 0;
}

/* Return whether the bytes are a relocatable object file of host code. */
static bool is_object(const char *bytes, size_t count)
{
    enum { TYPE_OFFSET = 16, RELOCATABLE = 1, MACHINE_OFFSET = 18, MACHINE_CUDA = 190, HEAD = 52 };
    const unsigned char *head = (const unsigned char *)bytes;

    return count >= HEAD && memcmp(bytes, "\177ELF", 4) == 0 && head[TYPE_OFFSET] == RELOCATABLE &&
           head[MACHINE_OFFSET] != MACHINE_CUDA;
}

/* Whether an input is a file of host code; the mock does not read device code in such files. */
static bool is_of_host(CUjitInputType type, const void *bytes, size_t count)
{
    if (type != CU_JIT_INPUT_OBJECT && type != CU_JIT_INPUT_LIBRARY)
        return false;
    return is_archive(bytes, count) || is_object(bytes, count);
}

/* After a refused input, read the others again, without what it declared. */
static CUresult read_again(struct mock_link *link)
{
    const struct mock_jit none = {.wall_time = NULL};
    CUresult code = CUDA_SUCCESS;

    if (!link->stale)
        return code;
    cushim__mock_image_clear(&link->image);
    for (size_t i = 0; code == CUDA_SUCCESS && i < link->part_count; i++)
        code =
            cushim__mock_code_add(&link->image, link->parts[i].start, link->parts[i].bytes, &none);
    link->stale = code != CUDA_SUCCESS;
    return code;
}

/* Text has a type of its own, so an input passed as a cubin has to be an ELF file. */
static bool is_of_type(CUjitInputType type, const void *bytes, size_t count)
{
    return type != CU_JIT_INPUT_CUBIN || (count > 4 && memcmp(bytes, "\177ELF", 4) == 0);
}

static CUresult read_input(struct mock_link *link, CUjitInputType type, const void *bytes,
                           size_t count)
{
    CUresult code = CUDA_ERROR_INVALID_IMAGE;

    if (is_of_type(type, bytes, count))
        code = cushim__mock_code_add(&link->image, bytes, count, &link->jit);
    /* A cubin that is not an object cannot be linked. */
    if (code == CUDA_SUCCESS && link->image.executable)
        code = CUDA_ERROR_NO_BINARY_FOR_GPU;
    if (code == CUDA_ERROR_NO_BINARY_FOR_GPU || code == CUDA_ERROR_INVALID_SOURCE)
        link->failure = code;
    if (code == CUDA_SUCCESS)
        return code;
    let_go(link);
    link->stale = true;
    return code;
}

static CUresult add(struct mock_link *link, CUjitInputType type, const void *bytes, size_t count)
{
    enum { INPUT_NVVM = 5, INPUT_TYPES = 6 };
    CUresult code;

    if ((unsigned)type >= INPUT_TYPES)
        return CUDA_ERROR_INVALID_VALUE;
    if (type == (CUjitInputType)INPUT_NVVM) {
        cushim__mock_log("%s: there is no compiler of NVVM: CUDA_ERROR_JIT_COMPILER_NOT_FOUND",
                         cushim__mock_call_name());
        return CUDA_ERROR_JIT_COMPILER_NOT_FOUND;
    }
    if (is_of_host(type, bytes, count)) {
        cushim__mock_log("%s: what is in a file of the host is not looked at",
                         cushim__mock_call_name());
        return CUDA_SUCCESS;
    }
    code = read_again(link);
    if (code == CUDA_SUCCESS)
        code = keep(link, bytes, count);
    return code == CUDA_SUCCESS ? read_input(link, type, bytes, count) : code;
}

/* Also cuLinkCreate. */
CUresult cushim__mock_LinkCreate_v2(struct mock_context *current, unsigned int numOptions,
                                    CUjit_option *options, void **optionValues,
                                    struct mock_link **made)
{
    struct mock_link *link;
    struct mock_jit jit;
    CUresult code = cushim__mock_jit_begin(&jit, numOptions, options, optionValues);

    if (code != CUDA_SUCCESS)
        return code;
    link = cushim__mock_object_create(sizeof *link, MOCK_LINK, current, drop);
    if (!link)
        return CUDA_ERROR_OUT_OF_MEMORY;
    link->jit = jit;
    cushim__mock_jit_end(&link->jit, "");
    *made = link;
    return CUDA_SUCCESS;
}

/* Also cuLinkAddData. */
CUresult cushim__mock_LinkAddData_v2(struct mock_link *link, CUjitInputType type, void *data,
                                     size_t size, unsigned int numOptions, CUjit_option *options,
                                     void **optionValues)
{
    struct mock_jit jit;
    CUresult code = link->complete || size == 0
                        ? CUDA_ERROR_INVALID_VALUE
                        : cushim__mock_jit_begin(&jit, numOptions, options, optionValues);

    return code == CUDA_SUCCESS ? add(link, type, data, size) : code;
}

/* Also cuLinkAddFile. */
CUresult cushim__mock_LinkAddFile_v2(struct mock_link *link, CUjitInputType type, const char *path,
                                     unsigned int numOptions, CUjit_option *options,
                                     void **optionValues)
{
    struct mock_jit jit;
    char *bytes;
    size_t size;
    CUresult code = link->complete
                        ? CUDA_ERROR_INVALID_VALUE
                        : cushim__mock_jit_begin(&jit, numOptions, options, optionValues);

    if (code == CUDA_SUCCESS)
        code = cushim__mock_code_file(path, &bytes, &size);
    if (code != CUDA_SUCCESS)
        return code;
    code = size > 0 ? add(link, type, bytes, size) : CUDA_ERROR_INVALID_IMAGE;
    free(bytes);
    return code;
}

CUresult cushim__mock_LinkComplete(struct mock_link *link, void **cubinOut, size_t *sizeOut)
{
    const struct mock_image_global *missing;
    char message[200];
    size_t bytes;
    CUresult code;

    if (link->complete)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!cubinOut)
        return CUDA_ERROR_INVALID_VALUE;
    if (link->failure)
        return link->failure;
    code = read_again(link);
    if (code != CUDA_SUCCESS)
        return code;
    missing = cushim__mock_image_unresolved(&link->image);
    if (missing) {
        snprintf(message, sizeof message, "error   : Undefined reference to '%.150s'",
                 missing->name);
        cushim__mock_jit_end(&link->jit, message);
        return CUDA_ERROR_INVALID_SOURCE;
    }
    link->result = cushim__mock_image_join(link->parts, link->part_count, &bytes);
    if (!link->result)
        return CUDA_ERROR_OUT_OF_MEMORY;
    link->complete = true;
    *cubinOut = link->result;
    if (sizeOut)
        *sizeOut = bytes;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_LinkDestroy(struct mock_link *link)
{
    cushim__mock_object_remove(link);
    drop(link);
    return CUDA_SUCCESS;
}
