/* SPDX-License-Identifier: Apache-2.0 */
#include "src/mock/api/jit.h"

#include <string.h>

#include "src/base/system.h"

enum { OPTIONS = 35 }; /* of CUDA 13.0; older headers know fewer */

CUresult cushim__mock_jit_begin(struct mock_jit *jit, unsigned count, const CUjit_option *options,
                                void **values)
{
    *jit = (struct mock_jit){.began_ns = cushim__host_ns()};
    if (count > 0 && (!options || !values))
        return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < count; i++) {
        if ((unsigned)options[i] >= OPTIONS)
            return CUDA_ERROR_INVALID_VALUE;
        switch (options[i]) {
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
    if ((jit->info.room > 0 && !jit->info.buffer) || (jit->error.room > 0 && !jit->error.buffer))
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

/* The size does not count the NUL, but where the text does not fit it is the buffer's. */
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
        const float ms = (float)(cushim__host_ns() - jit->began_ns) / 1e6f;
        uint32_t bits;

        memcpy(&bits, &ms, sizeof bits);
        *jit->wall_time = (void *)(uintptr_t)bits;
    }
}
