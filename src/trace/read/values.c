/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of calls as text, and tags of handles. */
#include <inttypes.h>
#include <string.h>

#include <cushim/error.h>

#include "loader/symbols.h"
#include "src/driver_api/parameters.h"
#include "src/trace/read/timeline.h"

const char *trace_result_name(int32_t code, char buffer[TRACE_RESULT_BYTES])
{
    const char *name = cushim_error_name((CUresult)code);

    if (strncmp(name, "CUDA_", 5) == 0)
        return name;
    snprintf(buffer, TRACE_RESULT_BYTES, "result %" PRId32, code);
    return buffer;
}

struct handle_key {
    uint64_t type, handle;
};

void trace_handles_begin(struct trace_timeline *timeline)
{
    const unsigned count = cushim__parameter_first[CUSHIM__SYMBOL_COUNT];

    timeline->parameter_types = trace_zeros(count, sizeof *timeline->parameter_types);
    for (unsigned i = 0; i < count; i++) {
        const char *type = cushim__parameters[i].type;
        timeline->parameter_types[i] = (uint8_t)cushim__type_of(type, strcspn(type, " *"));
    }
}

uint32_t trace_handle_number(struct trace_timeline *timeline, enum cushim__object_type type,
                             uint64_t handle)
{
    const struct handle_key key = {type, handle};
    const uint32_t index = trace_set_add(&timeline->handles, &key, sizeof key);

    TRACE_ROOM(timeline->handle_numbers, index, timeline->handle_room);
    if (!timeline->handle_numbers[index])
        timeline->handle_numbers[index] = ++timeline->type_counts[type];
    return timeline->handle_numbers[index];
}

unsigned trace_argument_count(const struct trace_item *item)
{
    const unsigned slot = item->record->slot, words = item->record->words;
    const unsigned count = slot < CUSHIM__SYMBOL_COUNT ? cushim__parameter_count(slot) : words;

    return count < words ? count : words;
}

static bool is_written(const struct trace_item *item, unsigned index)
{
    return index < 31 && item->record->flags & TRACE_ARGUMENT_WRITTEN(index);
}

/* The name of a handle value that stands for no object of the program; otherwise NULL. */
static const char *special_handle(const char *type, uint64_t handle)
{
    const bool is_stream = strcmp(type, "CUstream") == 0;

    return handle == 0                ? "NULL"
           : is_stream && handle == 1 ? "CU_STREAM_LEGACY"
           : is_stream && handle == 2 ? "CU_STREAM_PER_THREAD"
                                      : NULL;
}

static bool is_handle(const struct trace_item *item, unsigned index,
                      const struct cushim__parameter *parameter)
{
    return parameter->kind == CUSHIM__PARAMETER_HANDLE ||
           (parameter->kind == CUSHIM__PARAMETER_HANDLE_OUT && is_written(item, index));
}

static enum cushim__object_type type_of(const struct trace_timeline *timeline,
                                        const struct cushim__parameter *parameter)
{
    return (enum cushim__object_type)timeline->parameter_types[parameter - cushim__parameters];
}

void trace_handles_number(struct trace_timeline *timeline, const struct trace_item *item)
{
    const unsigned count = trace_argument_count(item), slot = item->record->slot;

    for (unsigned i = 0; slot < CUSHIM__SYMBOL_COUNT && i < count; i++) {
        const struct cushim__parameter *parameter = cushim__parameter_at(slot, i);
        const uint64_t value = trace_words(item)[i];
        if (is_handle(item, i, parameter) && !special_handle(parameter->type, value))
            trace_handle_number(timeline, type_of(timeline, parameter), value);
    }
}

static void put_handle(const struct trace_timeline *timeline,
                       const struct cushim__parameter *parameter, struct trace_argument *argument)
{
    const char *name = special_handle(parameter->type, argument->value);
    const enum cushim__object_type type = type_of(timeline, parameter);
    const struct handle_key key = {type, argument->value};

    argument->is_handle = !name;
    if (name)
        snprintf(argument->text, sizeof argument->text, "%s", name);
    else
        snprintf(argument->text, sizeof argument->text, "%s#%" PRIu32,
                 cushim__object_names[type].word,
                 timeline->handle_numbers[trace_set_find(&timeline->handles, &key, sizeof key)]);
}

static void put_float(struct trace_argument *argument)
{
    const uint32_t bits = (uint32_t)argument->value;
    float number;

    memcpy(&number, &bits, sizeof number);
    snprintf(argument->text, sizeof argument->text, "%.9g", (double)number);
}

static void put_number(struct trace_argument *argument, bool is_signed)
{
    const int64_t number = (int64_t)argument->value;
    const int64_t limit = INT64_C(1) << 53; /* readers of JSON keep numbers as doubles */

    if (is_signed)
        snprintf(argument->text, sizeof argument->text, "%" PRId64, number);
    else
        snprintf(argument->text, sizeof argument->text, "%" PRIu64, argument->value);
    argument->is_number = number <= limit && number >= (is_signed ? -limit : 0);
}

/* The words after the arguments hold the first text argument. Returns NULL for any other. */
static const char *text_of(const struct trace_item *item, unsigned index)
{
    const unsigned slot = item->record->slot, count = cushim__parameter_count(slot);
    const char *text = (const char *)(trace_words(item) + count);

    for (unsigned i = 0; i < index; i++) {
        if (cushim__parameter_at(slot, i)->kind == CUSHIM__PARAMETER_TEXT)
            return NULL;
    }
    return item->record->words > count &&
                   memchr(text, '\0', (item->record->words - count) * sizeof(uint64_t))
               ? text
               : NULL;
}

bool trace_argument_read(const struct trace_timeline *timeline, const struct trace_item *item,
                         unsigned index, struct trace_argument *argument)
{
    static const struct cushim__parameter unknown = {"", "", CUSHIM__PARAMETER_UNSIGNED, false, 0};
    const unsigned slot = item->record->slot;
    const bool is_known = slot < CUSHIM__SYMBOL_COUNT;
    const struct cushim__parameter *parameter =
        is_known ? cushim__parameter_at(slot, index) : &unknown;

    *argument = (struct trace_argument){.name = parameter->name, .value = trace_words(item)[index]};
    if (is_handle(item, index, parameter)) {
        put_handle(timeline, parameter, argument);
        return true;
    }
    switch (parameter->kind) {
    case CUSHIM__PARAMETER_STRUCT:
        return false;
    case CUSHIM__PARAMETER_SIGNED:
    case CUSHIM__PARAMETER_UNSIGNED:
        put_number(argument, parameter->kind == CUSHIM__PARAMETER_SIGNED);
        return true;
    case CUSHIM__PARAMETER_FLOAT:
        put_float(argument);
        return true;
    case CUSHIM__PARAMETER_POINTER:
        if (!is_written(item, index))
            break;
        if (strcmp(parameter->type, "float *") == 0)
            put_float(argument);
        else
            put_number(argument, strncmp(parameter->type, "int ", 4) == 0 ||
                                     strncmp(parameter->type, "CU", 2) == 0);
        return true;
    default:
        break;
    }
    if (parameter->kind == CUSHIM__PARAMETER_TEXT)
        argument->string = text_of(item, index);
    argument->is_pointer = parameter->kind != CUSHIM__PARAMETER_ADDRESS && !is_written(item, index);
    if (argument->value)
        snprintf(argument->text, sizeof argument->text, "0x%" PRIx64, argument->value);
    else
        snprintf(argument->text, sizeof argument->text, "NULL");
    return true;
}
