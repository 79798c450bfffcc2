/* SPDX-License-Identifier: Apache-2.0 */
#include "src/race/race_search.h"

#include <stdlib.h>

#include "src/mock/memory/allocation.h"
#include "src/mock/sim/stream.h"
#include "src/race/internal.h"

CUresult cushim__races_create(void)
{
    if (cushim__world->settings.races == CUSHIM__RACES_IGNORE)
        return CUDA_SUCCESS;
    cushim__world->races = calloc(1, sizeof *cushim__world->races);
    if (!cushim__world->races)
        return CUDA_ERROR_OUT_OF_MEMORY;
    return cushim__marks_create() && cushim__histories_create() && cushim__race_create()
               ? CUDA_SUCCESS
               : CUDA_ERROR_OUT_OF_MEMORY;
}

void cushim__races_destroy(void)
{
    if (!cushim__races())
        return;
    cushim__strands_clear();
    cushim__marks_clear();
    cushim__histories_clear();
    cushim__race_clear();
    free(cushim__world->races);
    cushim__world->races = NULL;
}

void cushim__races_go_blind(void)
{
    if (!cushim__races()->blind)
        cushim__mock_log("races: memory has run out; no more are looked for");
    cushim__races()->blind = true;
}

void cushim__races_submit(struct cushim__stream *stream, struct cushim__operation *operation)
{
    const struct cushim__operation_class *class = operation->class;
    struct cushim__submission submission;

    if (!cushim__races() || cushim__races()->blind)
        return;
    cushim__mark_begin(&submission.mark, stream, operation);
    if (!cushim__strand_add(stream, operation->number, class->waits && class->waits(operation),
                            &submission.mark)) {
        cushim__races_go_blind();
        return;
    }
    operation->before = submission.mark.before;
    operation->strand = submission.mark.strand;
    if (class->touch)
        class->touch(operation, &submission);
    cushim__mark_keep(&submission.mark);
}

/* What is in no allocation, as pageable memory, is not known. */
void cushim__submission_touch(struct cushim__submission *submission,
                              const struct cushim__region *region, enum cushim__use use)
{
    const struct cushim__allocation *allocation = cushim__allocation_at(region->start);

    if (allocation)
        cushim__history_add(allocation, &submission->mark, region, use);
}

void cushim__submission_touch_from(struct cushim__submission *submission, uint64_t address,
                                   size_t bytes, enum cushim__use use)
{
    const struct cushim__allocation *allocation = cushim__allocation_at(address);
    struct cushim__region region;
    size_t rest;

    if (!allocation)
        return;
    rest = allocation->bytes - (address - allocation->span.start);
    region = cushim__region_row(address, bytes > 0 && bytes < rest ? bytes : rest);
    cushim__history_add(allocation, &submission->mark, &region, use);
}

void cushim__submission_whole(struct cushim__submission *submission,
                              const struct cushim__allocation *allocation, enum cushim__use use)
{
    const struct cushim__region region =
        cushim__region_row(allocation->span.start, allocation->bytes);

    cushim__history_add(allocation, &submission->mark, &region, use);
}
