/* SPDX-License-Identifier: Apache-2.0 */
/* Operations that meet a rule of faults: they take longer, hang, or break what they run on. */
#include "src/layer/fault/broken.h"
#include "src/mock/api/context.h"
#include "src/mock/core/device.h"
#include "src/mock/sim/internal.h"

bool cushim__fault_begin(struct cushim__stream *stream)
{
    struct cushim__operation *head = stream->head;

    stream->fault.code = CUDA_SUCCESS;
    if (__atomic_load_n(&cushim__faults.operations, __ATOMIC_RELAXED) == 0 || cushim__world->fault)
        return true;
    cushim__fault_of_operation(&stream->fault, head->class->name,
                               stream->object.context->device->ordinal);
    head->duration_ns = cushim__time_after(head->duration_ns, stream->fault.delay_ns);
    return !stream->fault.hangs;
}

CUresult cushim__fault_strike(const struct cushim__stream *stream)
{
    if (stream->fault.is_lost)
        cushim__broken_lose(stream->fault.code, stream->fault.device);
    return stream->fault.code;
}

static void let_go(struct cushim__stream *stream)
{
    if (stream->state != CUSHIM__HUNG)
        return;
    stream->state = CUSHIM__RUNNING;
    stream->due_ns = cushim__schedule_end(stream);
    cushim__heap_push(stream);
}

void cushim__engine_release(void)
{
    struct cushim__context *context = NULL;

    while ((context = cushim__object_next(CUSHIM__CONTEXT, context))) {
        for (struct cushim__stream *one = context->streams; one; one = one->next)
            let_go(one);
    }
    cushim__executor_wake();
}
