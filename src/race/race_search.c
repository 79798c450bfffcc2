/* SPDX-License-Identifier: Apache-2.0 */
#include "src/race/race_search.h"

#include <stdlib.h>

#include "src/mock/memory/allocation.h"
#include "src/mock/sim/stream.h"
#include "src/race/internal.h"

CUresult cushim__race_create(void)
{
    if (cushim__mock->settings.races == MOCK_RACES_IGNORE)
        return CUDA_SUCCESS;
    cushim__mock->races = calloc(1, sizeof *cushim__mock->races);
    if (!cushim__mock->races)
        return CUDA_ERROR_OUT_OF_MEMORY;
    return cushim__race_accesses_create() && cushim__race_histories_create() &&
                   cushim__race_texts_create()
               ? CUDA_SUCCESS
               : CUDA_ERROR_OUT_OF_MEMORY;
}

void cushim__race_destroy(void)
{
    if (!cushim__race_search())
        return;
    cushim__race_timelines_clear();
    cushim__race_accesses_clear();
    cushim__race_histories_clear();
    cushim__race_texts_clear();
    free(cushim__mock->races);
    cushim__mock->races = NULL;
}

void cushim__race_go_blind(void)
{
    if (!cushim__race_search()->blind)
        cushim__mock_log("races: memory has run out; no more are looked for");
    cushim__race_search()->blind = true;
}

void cushim__race_submit(struct mock_stream *stream, struct mock_operation *operation)
{
    const struct mock_operation_class *class = operation->class;
    struct race_submission submission;

    if (!cushim__race_search() || cushim__race_search()->blind)
        return;
    cushim__race_access_begin(&submission.mark, stream, operation);
    if (!cushim__race_timeline_add(stream, operation->number,
                                   class->waits && class->waits(operation), &submission.mark)) {
        cushim__race_go_blind();
        return;
    }
    operation->before = submission.mark.before;
    operation->strand = submission.mark.strand;
    if (class->touch)
        class->touch(operation, &submission);
    cushim__race_access_keep(&submission.mark);
}

/* What is in no allocation, as pageable memory, is not known. */
void cushim__race_submission_touch(struct race_submission *submission,
                                   const struct race_region *region, enum race_use use)
{
    const struct mock_allocation *allocation = cushim__mock_allocation_at(region->start);

    if (allocation)
        cushim__race_history_add(allocation, &submission->mark, region, use);
}

void cushim__race_submission_touch_from(struct race_submission *submission, uint64_t address,
                                        size_t bytes, enum race_use use)
{
    const struct mock_allocation *allocation = cushim__mock_allocation_at(address);
    struct race_region region;
    size_t rest;

    if (!allocation)
        return;
    rest = allocation->bytes - (address - allocation->span.start);
    region = cushim__race_region_row(address, bytes > 0 && bytes < rest ? bytes : rest);
    cushim__race_history_add(allocation, &submission->mark, &region, use);
}

void cushim__race_submission_whole(struct race_submission *submission,
                                   const struct mock_allocation *allocation, enum race_use use)
{
    const struct race_region region =
        cushim__race_region_row(allocation->span.start, allocation->bytes);

    cushim__race_history_add(allocation, &submission->mark, &region, use);
}
