/* SPDX-License-Identifier: Apache-2.0 */
/* The recording: a ring of the calls that were made, which programs read. */
#include "src/layer/layer.h"

#include <stdlib.h>

#include "src/driver_api/result.h"

struct record {
    uint64_t number;
    unsigned slot, thread;
    uint64_t began_ns;
    CUresult code;
    bool has_returned, is_injected;
    struct cushim__arguments arguments;
};

static struct {
    struct record *records; /* a ring: call number n is at (n - 1) % capacity */
    size_t capacity;
    uint64_t begun; /* calls that have begun since it was empty */
    uint64_t first; /* the first number that is kept */
    bool is_on;
    bool is_asked;   /* the program wants all calls, so it is a failure if some are lost */
    bool is_misread; /* it was read when some were lost */
} recording;

static struct record *at(uint64_t number)
{
    return &recording.records[(number - 1) % recording.capacity];
}

static void copy(struct record *record, const struct cushim__call *call)
{
    memcpy(&record->arguments, &call->arguments,
           offsetof(struct cushim__arguments, list) +
               cushim__parameter_count(call->slot) * sizeof *call->arguments.list);
    memcpy(record->arguments.texts, call->arguments.texts, call->arguments.texts_used);
}

static void record_call(struct cushim__call *call)
{
    struct record *record;

    if (!recording.is_on)
        return;
    call->arguments.recorded = ++recording.begun;
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

/* The recording may have been cleared meanwhile, or the call lost. */
static void finish(struct cushim__call *call, CUresult answer)
{
    struct record *record;

    if (!recording.records || !call->arguments.is_decoded || !call->arguments.recorded ||
        call->arguments.recorded < recording.first || call->arguments.recorded > recording.begun)
        return;
    record = at(call->arguments.recorded);
    if (record->has_returned || record->slot != call->slot || record->thread != call->thread)
        return;
    record->code = answer;
    record->has_returned = true;
    record->is_injected = call->is_injected;
    copy(record, call);
}

static void drop(void)
{
    free(recording.records);
    memset(&recording, 0, sizeof recording);
}

const struct cushim__subscriber cushim__recording = {
    .started = record_call, .ended = finish, .destroy = drop};

static size_t count_kept(void)
{
    return (size_t)(recording.begun + 1 - recording.first) * (recording.records != NULL);
}

static const struct record *kept_at(size_t index)
{
    return at(recording.first + index);
}

static uint64_t count_lost(void)
{
    return recording.records ? recording.first - 1 : 0;
}

/* Note that the program reads the recorded calls. */
static void note_reader(void)
{
    recording.is_misread = recording.is_misread || count_lost() > 0;
}

static void clear(void)
{
    recording.is_misread = false;
    recording.begun = 0;
    recording.first = 1;
}

static CUresult start(size_t capacity, bool is_asked)
{
    struct record *records;

    if (recording.is_on)
        return CUDA_ERROR_ALREADY_ACQUIRED;
    records = calloc(capacity, sizeof *records);
    if (!records)
        return CUDA_ERROR_OUT_OF_MEMORY;
    cushim__decoding_begin(CUSHIM__RECORDING);
    free(recording.records);
    recording.records = records;
    recording.capacity = capacity;
    recording.is_on = true;
    recording.is_asked = is_asked;
    clear();
    cushim__subscribe_all(CUSHIM__RECORDING, true);
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
    if (!cushim__layer_lock(layer))
        return;
    recording.is_on = false;
    cushim__decoding_stop(CUSHIM__RECORDING);
    cushim__subscribe_all(CUSHIM__RECORDING, false);
    cushim__lock_release(&layer->lock);
}

void cushim_recording_clear(struct cushim_layer *layer)
{
    if (!cushim__layer_lock(layer))
        return;
    clear();
    cushim__lock_release(&layer->lock);
}

size_t cushim_recording_count(struct cushim_layer *layer)
{
    size_t count;

    if (!cushim__layer_lock(layer))
        return 0;
    note_reader();
    count = count_kept();
    cushim__lock_release(&layer->lock);
    return count;
}

uint64_t cushim_recording_lost(struct cushim_layer *layer)
{
    uint64_t lost;

    if (!cushim__layer_lock(layer))
        return 0;
    lost = count_lost();
    cushim__lock_release(&layer->lock);
    return lost;
}

_Static_assert((int)CUSHIM_ARGUMENT_STRUCT == (int)CUSHIM__PARAMETER_STRUCT,
               "kinds of arguments are those of parameters");

static void read_argument(struct cushim_recorded_argument *read, const struct record *record,
                          unsigned index)
{
    const struct cushim__argument *argument = &record->arguments.list[index];
    const struct cushim__parameter *parameter = cushim__parameter_at(record->slot, index);

    *read = (struct cushim_recorded_argument){
        .name = parameter->name,
        .type = parameter->type,
        .kind = (enum cushim_argument_kind)parameter->kind,
        .is_written = argument->is_written,
        .value = argument->value,
        .written = argument->written,
    };
    cushim__argument_tag(&record->arguments, record->slot, index, read->tag, sizeof read->tag);
}

static void read(struct cushim_recorded_call *call, const struct record *record)
{
    *call = (struct cushim_recorded_call){
        .size = call->size,
        .number = record->number,
        .name = cushim__slot_name(record->slot),
        .time_ns = record->began_ns,
        .thread = record->thread,
        .code = record->code,
        .has_returned = record->has_returned,
        .is_injected = record->is_injected,
        .argument_count = cushim__parameter_count(record->slot),
    };
    for (unsigned i = 0; i < call->argument_count; i++)
        read_argument(&call->arguments[i], record, i);
}

CUresult cushim_recording_get_call(struct cushim_layer *layer, size_t index,
                                   struct cushim_recorded_call *call)
{
    bool is_found;

    if (!call || call->size < sizeof *call || !cushim__layer_lock(layer))
        return CUDA_ERROR_INVALID_VALUE;
    note_reader();
    is_found = index < count_kept();
    if (is_found)
        read(call, kept_at(index));
    cushim__lock_release(&layer->lock);
    return is_found ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

static void add_line(struct cushim__text *text, const struct record *record)
{
    cushim__text_format(text, "%llu  t%u  %llu ns  ", (unsigned long long)record->number,
                        record->thread, (unsigned long long)record->began_ns);
    cushim__arguments_print(text, record->slot, &record->arguments);
    if (record->has_returned) {
        cushim__text_add(text, " = ");
        cushim__result_add(text, record->code);
    } else {
        cushim__text_add(text, " has not returned");
    }
    cushim__text_add(text, record->is_injected ? " (by a fault)\n" : "\n");
}

size_t cushim_recording_write_text(struct cushim_layer *layer, char *buffer, size_t size)
{
    struct cushim__text text;

    cushim__text_begin(&text, buffer, size);
    if (!cushim__layer_lock(layer))
        return 0;
    note_reader();
    if (count_lost())
        cushim__text_format(&text, "%llu earlier call%s lost: there is room for %zu\n",
                            (unsigned long long)count_lost(), count_lost() == 1 ? " is" : "s are",
                            recording.capacity);
    for (size_t i = 0; i < count_kept(); i++)
        add_line(&text, kept_at(i));
    cushim__lock_release(&layer->lock);
    return text.length;
}

void cushim__recording_print_lost(struct cushim__text *text)
{
    const uint64_t lost = count_lost();

    if (lost > 0 && (recording.is_asked || recording.is_misread))
        cushim__text_format(
            text,
            "the recording has lost the first %llu call%s: it has room for %zu "
            "(capacity), and %llu came; set a larger .capacity of the test, or stop "
            "recording\n",
            (unsigned long long)lost, lost == 1 ? "" : "s", recording.capacity,
            (unsigned long long)lost + count_kept());
}
