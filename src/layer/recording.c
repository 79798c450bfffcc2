/* SPDX-License-Identifier: Apache-2.0 */
#include "src/layer/recording.h"

#include <stdlib.h>
#include <string.h>

#include "src/layer/current_context.h"
#include "src/layer/decoder.h"
#include "src/layer/layer.h"
#include "src/layer/tag.h"

static struct {
    struct cushim__record *records; /* a ring: that of number n lies at (n - 1) % capacity */
    size_t capacity;
    uint64_t begun; /* since it is empty */
    uint64_t first; /* the first number that is kept */
    bool is_on;
    bool is_asked;   /* somebody wants all calls: that some are lost is a failure */
    bool is_misread; /* it was read when some were lost */
} recording;

static unsigned seers; /* bits of enum cushim__seer */

static void forget_all(void)
{
    cushim__known_clear();
    cushim__tags_clear();
    cushim__current_clear();
}

bool cushim__seeing_begin(enum cushim__seer seer)
{
    if (!cushim__readings_prepare())
        return false;
    if (seers == 0)
        forget_all();
    seers |= seer;
    return true;
}

void cushim__seeing_end(enum cushim__seer seer)
{
    seers &= ~(unsigned)seer;
}

static struct cushim__record *at(uint64_t number)
{
    return &recording.records[(number - 1) % recording.capacity];
}

static void copy(struct cushim__record *record, const struct cushim__call *call)
{
    memcpy(&record->seen, &call->seen,
           offsetof(struct cushim__seen, arguments) +
               cushim__seen_count(call->slot) * sizeof *call->seen.arguments);
    memcpy(record->seen.texts, call->seen.texts, call->seen.texts_used);
}

static void record(struct cushim__call *call)
{
    struct cushim__record *record;

    call->seen.recorded = ++recording.begun;
    if (recording.begun - recording.first >= recording.capacity)
        recording.first = recording.begun - recording.capacity + 1;
    record = at(recording.begun);
    record->number = recording.begun;
    record->slot = call->slot;
    record->thread = call->thread;
    record->began_ns = call->began_ns;
    record->code = CUDA_SUCCESS;
    record->has_returned = false;
    record->is_injected = false;
    copy(record, call);
}

void cushim__recording_begin(struct cushim__call *call)
{
    if (seers == 0)
        return;
    cushim__seen_begin(&call->seen, call);
    if (recording.is_on)
        record(call);
}

/* The call may have been forgotten meanwhile, or lost. */
static void finish(const struct cushim__call *call, CUresult answer)
{
    struct cushim__record *record;

    if (call->seen.recorded < recording.first || call->seen.recorded > recording.begun)
        return;
    record = at(call->seen.recorded);
    if (record->has_returned || record->slot != call->slot || record->thread != call->thread)
        return;
    record->code = answer;
    record->has_returned = true;
    record->is_injected = call->is_injected;
    copy(record, call);
}

void cushim__recording_end(struct cushim__call *call, CUresult answer)
{
    if (!call->seen.is_filled || seers == 0)
        return;
    cushim__seen_end(&call->seen, call, answer);
    if (recording.records && call->seen.recorded)
        finish(call, answer);
}

void cushim__recording_drop(void)
{
    free(recording.records);
    memset(&recording, 0, sizeof recording);
    seers = 0;
    forget_all();
    cushim__readings_drop();
}

size_t cushim__recording_count(void)
{
    return (size_t)(recording.begun + 1 - recording.first) * (recording.records != NULL);
}

const struct cushim__record *cushim__recording_at(size_t index)
{
    return at(recording.first + index);
}

uint64_t cushim__recording_lost(void)
{
    return recording.records ? recording.first - 1 : 0;
}

size_t cushim__recording_capacity(void)
{
    return recording.capacity;
}

bool cushim__recording_is_short(void)
{
    return cushim__recording_lost() > 0 && (recording.is_asked || recording.is_misread);
}

void cushim__recording_read(void)
{
    recording.is_misread = recording.is_misread || cushim__recording_lost() > 0;
}

static void clear(void)
{
    recording.is_misread = false;
    recording.begun = 0;
    recording.first = 1;
}

static CUresult start(size_t capacity, bool is_asked)
{
    struct cushim__record *records;

    if (recording.is_on)
        return CUDA_ERROR_ALREADY_ACQUIRED;
    records = calloc(capacity, sizeof *records);
    if (!records || !cushim__seeing_begin(CUSHIM__SEEN_BY_RECORDING)) {
        free(records);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    free(recording.records);
    recording.records = records;
    recording.capacity = capacity;
    recording.is_on = true;
    recording.is_asked = is_asked;
    clear();
    cushim__watch_set_all(CUSHIM__WATCHED_BY_RECORDING, true);
    return CUDA_SUCCESS;
}

CUresult cushim__recording_start(struct cushim_layer *layer, size_t capacity, bool is_asked)
{
    CUresult code;

    cushim__lock_take(&layer->lock);
    code = start(capacity ? capacity : CUSHIM_RECORDING_CAPACITY, is_asked);
    cushim__lock_release(&layer->lock);
    return code;
}

CUresult cushim_recording_start(struct cushim_layer *layer, size_t capacity)
{
    return cushim__layer_exists(layer) ? cushim__recording_start(layer, capacity, true)
                                       : CUDA_ERROR_INVALID_VALUE;
}

void cushim_recording_stop(struct cushim_layer *layer)
{
    if (!cushim__layer_exists(layer))
        return;
    cushim__lock_take(&layer->lock);
    recording.is_on = false;
    cushim__seeing_end(CUSHIM__SEEN_BY_RECORDING);
    /* A test that keeps book of what lives goes on to watch. */
    if (!(seers & CUSHIM__SEEN_BY_TEST))
        cushim__watch_set_all(CUSHIM__WATCHED_BY_RECORDING, false);
    cushim__lock_release(&layer->lock);
}

void cushim_recording_clear(struct cushim_layer *layer)
{
    if (!cushim__layer_exists(layer))
        return;
    cushim__lock_take(&layer->lock);
    clear();
    cushim__lock_release(&layer->lock);
}

size_t cushim_recording_count(struct cushim_layer *layer)
{
    size_t count;

    if (!cushim__layer_exists(layer))
        return 0;
    cushim__lock_take(&layer->lock);
    cushim__recording_read();
    count = cushim__recording_count();
    cushim__lock_release(&layer->lock);
    return count;
}

uint64_t cushim_recording_lost(struct cushim_layer *layer)
{
    uint64_t lost;

    if (!cushim__layer_exists(layer))
        return 0;
    cushim__lock_take(&layer->lock);
    lost = cushim__recording_lost();
    cushim__lock_release(&layer->lock);
    return lost;
}
