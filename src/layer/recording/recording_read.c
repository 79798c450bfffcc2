/* SPDX-License-Identifier: Apache-2.0 */
/* The recording as its readers see it. */
#include "src/base/result.h"
#include "src/layer/layer.h"
#include "src/layer/recording/recording.h"

_Static_assert((int)CUSHIM_ARGUMENT_STRUCT == (int)CUSHIM__PARAMETER_STRUCT,
               "kinds of arguments are those of parameters");

static void read_argument(struct cushim_recorded_argument *read,
                          const struct cushim__record *record, unsigned index)
{
    const struct cushim__argument *argument = &record->seen.arguments[index];
    const struct cushim__parameter *parameter = cushim__seen_parameter(record->slot, index);

    *read = (struct cushim_recorded_argument){
        .name = parameter->name,
        .type = parameter->type,
        .kind = (enum cushim_argument_kind)parameter->kind,
        .is_written = argument->is_written,
        .value = argument->value,
        .written = argument->written,
    };
    cushim__seen_tag(&record->seen, record->slot, index, read->tag, sizeof read->tag);
}

static void read(struct cushim_recorded_call *call, const struct cushim__record *record)
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
        .argument_count = cushim__seen_count(record->slot),
    };
    for (unsigned i = 0; i < call->argument_count; i++)
        read_argument(&call->arguments[i], record, i);
}

CUresult cushim_recording_get(struct cushim_layer *layer, size_t index,
                              struct cushim_recorded_call *call)
{
    bool is_found;

    if (!cushim__layer_exists(layer) || !call || call->size < sizeof *call)
        return CUDA_ERROR_INVALID_VALUE;
    cushim__lock_take(&layer->lock);
    cushim__recording_read();
    is_found = index < cushim__recording_count();
    if (is_found)
        read(call, cushim__recording_at(index));
    cushim__lock_release(&layer->lock);
    return is_found ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

void cushim__record_add(struct cushim__text *text, unsigned slot, const struct cushim__seen *seen)
{
    const unsigned count = cushim__seen_count(slot);
    char shown[4 * CUSHIM__TEXT_SHOWN + CUSHIM_TAG_SIZE];

    cushim__text_format(text, "%s(", cushim__slot_name(slot));
    for (unsigned i = 0; i < count; i++) {
        cushim__seen_show(seen, slot, i, shown, sizeof shown);
        cushim__text_format(text, "%s%s%s", i ? ", " : "", cushim__seen_parameter(slot, i)->name,
                            shown);
    }
    cushim__text_add(text, ")");
}

static void add_line(struct cushim__text *text, const struct cushim__record *record)
{
    cushim__text_format(text, "%llu  t%u  %llu ns  ", (unsigned long long)record->number,
                        record->thread, (unsigned long long)record->began_ns);
    cushim__record_add(text, record->slot, &record->seen);
    if (record->has_returned) {
        cushim__text_add(text, " = ");
        cushim__result_add(text, record->code);
    } else {
        cushim__text_add(text, " has not returned");
    }
    cushim__text_add(text, record->is_injected ? " (by a fault)\n" : "\n");
}

size_t cushim_recording_text(struct cushim_layer *layer, char *buffer, size_t size)
{
    struct cushim__text text;

    cushim__text_begin(&text, buffer, size);
    if (!cushim__layer_exists(layer))
        return 0;
    cushim__lock_take(&layer->lock);
    cushim__recording_read();
    if (cushim__recording_lost())
        cushim__text_format(&text, "%llu earlier calls are lost: there is room for %zu\n",
                            (unsigned long long)cushim__recording_lost(),
                            cushim__recording_capacity());
    for (size_t i = 0; i < cushim__recording_count(); i++)
        add_line(&text, cushim__recording_at(i));
    cushim__lock_release(&layer->lock);
    return text.length;
}
