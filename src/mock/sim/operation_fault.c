/* SPDX-License-Identifier: Apache-2.0 */
/* Operations that meet a rule of faults: they take longer, hang, or break what they run on. */
#include "src/mock/core/device.h"
#include "src/mock/sim/internal.h"

bool cushim__mock_fault_begin(struct mock_stream *stream)
{
    void (*const fault)(struct cushim__operation_fault *, const char *, int) =
        __atomic_load_n(&cushim__fault_of_operation, __ATOMIC_ACQUIRE);
    struct mock_operation *head = stream->head;

    stream->fault.code = CUDA_SUCCESS;
    if (!fault || cushim__mock->fault)
        return true;
    fault(&stream->fault, head->class->name, stream->group->device);
    head->duration_ns = cushim__mock_time_after(head->duration_ns, stream->fault.delay_ns);
    return !stream->fault.hangs;
}

CUresult cushim__mock_fault_strike(const struct mock_stream *stream)
{
    if (stream->fault.is_lost)
        cushim__device_lose(stream->fault.code, stream->fault.device);
    return stream->fault.code;
}

static void let_go(struct mock_stream *stream)
{
    if (stream->state != MOCK_HUNG)
        return;
    stream->state = MOCK_RUNNING;
    stream->due_ns = cushim__mock_schedule_end(stream);
    cushim__mock_heap_push(stream);
}

void cushim__mock_sim_release(void)
{

    for (struct mock_stream_group *group = cushim__mock_sim()->groups; group; group = group->next) {
        for (struct mock_stream *one = group->streams; one; one = one->next)
            let_go(one);
    }
    cushim__mock_executor_wake();
}
