/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Injected faults: an operation that a fault rule applies to takes longer, hangs, fails, or
 * loses its device.
 */
#include "src/mock/sim/internal.h"

bool cushim__mock_fault_begin(struct mock_stream *stream)
{
    void (*const fault)(struct cushim__operation_fault *, const char *, int) =
        __atomic_load_n(&cushim__fault_of_operation, __ATOMIC_ACQUIRE);
    struct mock_operation *head = stream->head;

    stream->fault.code = CUDA_SUCCESS;
    if (!fault || cushim__mock->sticky_error)
        return true;
    fault(&stream->fault, head->class->name, stream->group->device);
    head->duration_ns = cushim__mock_time_after(head->duration_ns, stream->fault.delay_ns);
    return !stream->fault.hangs;
}

CUresult cushim__mock_fault_end(const struct mock_stream *stream)
{
    if (stream->fault.is_lost)
        cushim__device_lose(stream->fault.code, stream->fault.device);
    return stream->fault.code;
}

static void release(struct mock_stream *stream)
{
    if (stream->state != MOCK_HUNG)
        return;
    stream->state = MOCK_RUNNING;
    stream->due_ns = cushim__mock_schedule_end(stream);
    cushim__mock_heap_push(stream);
}

void cushim__mock_sim_release_hung(void)
{
    for (struct mock_stream_group *group = cushim__mock_sim()->groups; group; group = group->next) {
        for (struct mock_stream *one = group->streams; one; one = one->next)
            release(one);
    }
    cushim__mock_executor_wake();
}
