/* SPDX-License-Identifier: Apache-2.0 */
/* The code of modules and CUDA libraries: images that were read for the device, and files. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/system.h"
#include "src/mock/core/state.h"
#include "src/mock/module/module.h"
#include "src/mock/module/translation.h"

enum { LARGEST_FILE = 1 << 30 };

/* The newest PTX version that a driver knows, by the releases that the PTX reference lists. */
static const struct {
    int driver_version;
    unsigned ptx_version;
} ptx_versions[] = {
    {13000, 90}, {12090, 88}, {12080, 87}, {12070, 86}, {12050, 85}, {12040, 84},
    {12030, 83}, {12020, 82}, {12010, 81}, {12000, 80}, {11080, 78}, {11070, 77},
    {11060, 76}, {11050, 75}, {11040, 74}, {11030, 73}, {11020, 72}, {11010, 71},
    {11000, 70}, {10020, 65}, {10010, 64}, {0, 63},
};

static struct mock_image_target device_target(void)
{
    const struct mock_settings *settings = &cushim__mock->settings;
    size_t i = 0;

    while (settings->driver_version < ptx_versions[i].driver_version)
        i++;
    return (struct mock_image_target){
        .architecture = (unsigned)cushim__mock_architecture(),
        .ptx_version = ptx_versions[i].ptx_version,
        .executes = settings->unregistered == MOCK_EXECUTE_KERNELS,
    };
}

/* Report a refused image, to the log of the options and to the mock's. */
static CUresult refused(const struct mock_image *image, const struct mock_jit *jit, CUresult code)
{
    if (code == CUDA_ERROR_OUT_OF_MEMORY)
        return code;
    if (image->error.line > 0) {
        cushim__mock_code_wrong(jit, &image->error);
        return code;
    }
    cushim__mock_jit_end(jit, image->message);
    if (image->message[0] != '\0')
        cushim__mock_log("an image is refused: %s", image->message);
    return code;
}

CUresult cushim__mock_code_load(const void *image, size_t bytes, const struct mock_jit *jit,
                                struct mock_code **code)
{
    const struct mock_image_target target = device_target();
    struct mock_code *made = calloc(1, sizeof *made);
    CUresult result;

    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    made->references = 1;
    result = bytes > 0 ? cushim__mock_image_read_bytes(&made->image, image, bytes, &target)
                       : cushim__mock_image_read(&made->image, image, &target);
    if (result == CUDA_SUCCESS)
        result = cushim__mock_code_link(made, jit);
    else
        result = refused(&made->image, jit, result);
    if (result == CUDA_SUCCESS)
        *code = made;
    else
        cushim__mock_code_release(made);
    return result;
}

CUresult cushim__mock_code_add(struct mock_image *image, const void *bytes, size_t count,
                               const struct mock_jit *jit)
{
    const struct mock_image_target target = device_target();
    CUresult code = cushim__mock_image_read_bytes(image, bytes, count, &target);

    return code == CUDA_SUCCESS ? code : refused(image, jit, code);
}

struct mock_code *cushim__mock_code_retain(struct mock_code *code)
{
    code->references++;
    return code;
}

void cushim__mock_code_release(struct mock_code *code)
{
    if (--code->references > 0)
        return;
    cushim__mock_image_clear(&code->image);
    free(code->variables);
    free(code);
}

/* Return the length of a file and rewind it. Returns -1 if it is not a file, or too large. */
static long length_of(FILE *file)
{
    const long end = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;

    return end > LARGEST_FILE || fseek(file, 0, SEEK_SET) != 0 ? -1 : end;
}

CUresult cushim__mock_code_file(const char *path, char **bytes, size_t *size)
{
    FILE *file = cushim__system_open_file(path);
    long length;
    char *text;

    /* A folder can be opened but not read; the driver fails as if memory had run out. */
    if (!file)
        return errno == ENOMEM || errno == EISDIR || errno == EMFILE || errno == ENFILE
                   ? CUDA_ERROR_OUT_OF_MEMORY
                   : CUDA_ERROR_FILE_NOT_FOUND;
    length = length_of(file);
    text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (text && fread(text, 1, (size_t)length, file) != (size_t)length) {
        free(text);
        text = NULL;
    }
    fclose(file);
    if (!text)
        return CUDA_ERROR_OUT_OF_MEMORY;
    text[length] = '\0';
    *bytes = text;
    *size = (size_t)length;
    return CUDA_SUCCESS;
}

enum { OPTIONS = 35 }; /* of CUDA 13.0; older headers know fewer */

/* An option that would change what is executed. */
static CUresult refuse_option(const char *option)
{
    cushim__mock_log("%s: %s is not implemented: CUDA_ERROR_NOT_SUPPORTED",
                     cushim__mock_call_name(), option);
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cushim__mock_jit_begin(struct mock_jit *jit, unsigned count, const CUjit_option *options,
                                void **values)
{
    *jit = (struct mock_jit){.began_ns = cushim__system_clock_ns()};
    if (count > 0 && (!options || !values))
        return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < count; i++) {
        if ((unsigned)options[i] >= OPTIONS)
            return CUDA_ERROR_INVALID_VALUE;
        switch (options[i]) {
        case CU_JIT_MAX_REGISTERS:
            if (!values[i])
                return CUDA_ERROR_INVALID_VALUE;
            break;
        case CU_JIT_TARGET:
            if ((int)((uintptr_t)values[i] & 0xffff) !=
                cushim__mock_architecture()) /* 90 of sm_90a */
                return refuse_option("CU_JIT_TARGET for another device");
            break;
        case CU_JIT_GLOBAL_SYMBOL_COUNT:
            if (values[i])
                return refuse_option("CU_JIT_GLOBAL_SYMBOL_COUNT");
            break;
        case CU_JIT_CACHE_MODE:
            if ((unsigned)(uintptr_t)values[i] > CU_JIT_CACHE_OPTION_CG)
                return CUDA_ERROR_INVALID_VALUE;
            break;
        case CU_JIT_WALL_TIME:
            jit->wall_time = &values[i];
            break;
        case CU_JIT_INFO_LOG_BUFFER:
            jit->info.buffer = values[i];
            break;
        case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
            jit->info.bytes = &values[i];
            jit->info.room = (unsigned)(uintptr_t)values[i];
            break;
        case CU_JIT_ERROR_LOG_BUFFER:
            jit->error.buffer = values[i];
            break;
        case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
            jit->error.bytes = &values[i];
            jit->error.room = (unsigned)(uintptr_t)values[i];
            break;
        default:
            break;
        }
    }
    if ((jit->info.bytes && !jit->info.buffer) || (jit->error.bytes && !jit->error.buffer))
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

/* The size excludes the NUL, but if the text does not fit it is the size of the buffer. */
static void put(const struct mock_jit_log *log, const char *text)
{
    size_t length = strlen(text);

    if (log->room == 0 || !log->buffer) {
        length = 0;
    } else if (length < log->room) {
        memcpy(log->buffer, text, length + 1);
    } else {
        length = log->room;
        memcpy(log->buffer, text, length - 1);
        log->buffer[length - 1] = '\0';
    }
    if (log->bytes)
        *log->bytes = (void *)(uintptr_t)length;
}

void cushim__mock_jit_end(const struct mock_jit *jit, const char *message)
{
    put(&jit->info, "");
    put(&jit->error, message);
    if (jit->wall_time) {
        const float ms = (float)(cushim__system_clock_ns() - jit->began_ns) / 1e6f;
        uint32_t bits;

        memcpy(&bits, &ms, sizeof bits);
        *jit->wall_time = (void *)(uintptr_t)bits;
    }
}
