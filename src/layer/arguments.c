/* SPDX-License-Identifier: Apache-2.0 */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include "src/layer/arguments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/driver_api/result.h"
#include "src/layer/layer.h"
#include "src/layer/leak_tracker.h"

/* Made once, when the first subscriber wants them. */
static struct cushim__decoder decoders[CUSHIM__SYMBOL_COUNT][CUSHIM_RECORDED_ARGUMENTS];
static bool are_made;
static unsigned wanted; /* bits: the subscriptions that want decoded arguments */

/* How numbers, handles and texts that the driver writes through a pointer are decoded. */
static const struct {
    const char *type;
    uint8_t form;
} written[] = {
    {"int *", CUSHIM__WRITTEN_SIGNED},
    {"CUdevice *", CUSHIM__WRITTEN_SIGNED},
    {"unsigned int *", CUSHIM__WRITTEN_UNSIGNED},
    {"size_t *", CUSHIM__WRITTEN_WIDE},
    {"unsigned long long *", CUSHIM__WRITTEN_WIDE},
    {"cuuint64_t *", CUSHIM__WRITTEN_WIDE},
    {"float *", CUSHIM__WRITTEN_FLOAT},
    {"const char **", CUSHIM__WRITTEN_TEXT},
    {"CUstreamCaptureStatus *", CUSHIM__WRITTEN_SIGNED},
    {"CUgraphNodeType *", CUSHIM__WRITTEN_SIGNED},
    {"CUgraphExecUpdateResult *", CUSHIM__WRITTEN_SIGNED},
    {"CUfunc_cache *", CUSHIM__WRITTEN_SIGNED},
    {"CUmoduleLoadingMode *", CUSHIM__WRITTEN_SIGNED},
    {"CUfunctionLoadingState *", CUSHIM__WRITTEN_SIGNED},
    {"CUdriverProcAddressQueryResult *", CUSHIM__WRITTEN_SIGNED},
    {"CUtexObject *", CUSHIM__WRITTEN_HANDLE},
    {"CUsurfObject *", CUSHIM__WRITTEN_HANDLE},
    {"CUmemGenericAllocationHandle *", CUSHIM__WRITTEN_HANDLE},
    {"CUgraphConditionalHandle *", CUSHIM__WRITTEN_HANDLE},
};

static enum cushim__form written_form(const char *type)
{
    for (size_t i = 0; i < sizeof written / sizeof *written; i++) {
        if (strcmp(type, written[i].type) == 0)
            return (enum cushim__form)written[i].form;
    }
    return CUSHIM__READ_POINTER;
}

static enum cushim__form form_of(const struct cushim__parameter *parameter, bool is_handle)
{
    static const enum cushim__form forms[] = {
        [CUSHIM__PARAMETER_HANDLE] = CUSHIM__READ_HANDLE,
        [CUSHIM__PARAMETER_HANDLE_OUT] = CUSHIM__WRITTEN_HANDLE,
        [CUSHIM__PARAMETER_ADDRESS] = CUSHIM__READ_ADDRESS,
        [CUSHIM__PARAMETER_ADDRESS_OUT] = CUSHIM__WRITTEN_ADDRESS,
        [CUSHIM__PARAMETER_SIGNED] = CUSHIM__READ_SIGNED,
        [CUSHIM__PARAMETER_UNSIGNED] = CUSHIM__READ_UNSIGNED,
        [CUSHIM__PARAMETER_FLOAT] = CUSHIM__READ_FLOAT,
        [CUSHIM__PARAMETER_TEXT] = CUSHIM__READ_TEXT,
        [CUSHIM__PARAMETER_STRUCT] = CUSHIM__READ_STRUCT,
    };

    if (parameter->kind == CUSHIM__PARAMETER_POINTER)
        return written_form(parameter->type);
    if (strcmp(parameter->type, "CUresult") == 0)
        return CUSHIM__READ_RESULT;
    if (parameter->kind == CUSHIM__PARAMETER_UNSIGNED && is_handle)
        return CUSHIM__READ_HANDLE;
    return forms[parameter->kind];
}

static struct cushim__decoder decoder_for(const struct cushim__parameter *parameter)
{
    const size_t length = strcspn(parameter->type, " *");
    const enum cushim__object_type type = cushim__type_of(parameter->type, length);

    return (struct cushim__decoder){.form = (uint8_t)form_of(parameter, type != CUSHIM__NO_TYPE),
                                    .type = (uint8_t)type};
}

/* Page-locked memory is passed as `void *` or `void **`, so its type does not say what it is. */
static void apply_effects(unsigned slot)
{
    const struct cushim__object_effect *effect = cushim__effect_first(slot);

    for (; effect; effect = cushim__effect_next(slot, effect)) {
        struct cushim__decoder *decoder;

        if (effect->type != CUSHIM__TYPE_MEMORY)
            continue;
        decoder = &decoders[slot][effect->parameter];
        decoder->type = CUSHIM__TYPE_MEMORY;
        if (effect->kind == CUSHIM__EFFECT_CREATES ||
            effect->kind == CUSHIM__EFFECT_CREATES_IN_CONTEXT)
            decoder->form = CUSHIM__WRITTEN_ADDRESS;
    }
}

void cushim__decoders_prepare(void)
{
    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT && !are_made; slot++) {
        const unsigned count = cushim__parameter_count(slot);

        for (unsigned i = 0; i < count; i++)
            decoders[slot][i] = decoder_for(cushim__parameter_at(slot, i));
        apply_effects(slot);
        for (unsigned i = 0; i < count; i++) {
            if (cushim__parameter_at(slot, i)->is_unfollowed)
                decoders[slot][i].form = CUSHIM__READ_POINTER;
        }
    }
    are_made = true;
}

void cushim__decoding_begin(unsigned subscription)
{
    cushim__decoders_prepare();
    if (wanted == 0)
        cushim__handles_clear();
    wanted |= 1u << subscription;
}

void cushim__decoding_stop(unsigned subscription)
{
    wanted &= ~(1u << subscription);
}

void cushim__decoding_end(void)
{
    wanted = 0;
    cushim__handles_clear();
}

struct cushim__decoder cushim__decoder_of(unsigned slot, unsigned index)
{
    return decoders[slot][index];
}

/* Whether the driver defines a value: NULL and the handles of the default streams. */
static bool is_fixed(enum cushim__object_type type, uint64_t value)
{
    return value == 0 || (type == CUSHIM__TYPE_STREAM && value <= (uintptr_t)CU_STREAM_PER_THREAD);
}

static struct cushim__tag tag_of_memory(uint64_t address)
{
    const struct cushim__handle *object = cushim__handle_at(address);
    struct cushim__tag tag = {.type = CUSHIM__TYPE_MEMORY};

    if (object) {
        tag = cushim__handle_tag(object);
        tag.offset = address - object->value;
    }
    return tag;
}

static struct cushim__tag tag_of_handle(enum cushim__object_type type, uint64_t value,
                                        bool is_returned)
{
    const struct cushim__handle *object = NULL;

    if (!is_fixed(type, value))
        object = is_returned ? cushim__handle_returned(type, value)
                             : cushim__handle_find(type, value, true);
    return object ? cushim__handle_tag(object) : (struct cushim__tag){.type = (uint8_t)type};
}

/* Keep the beginning of a text, because the text may no longer exist when it is printed. */
static void keep_text(struct cushim__arguments *arguments, struct cushim__argument *argument,
                      const char *text)
{
    size_t length = 0;

    if (!text || arguments->texts_used + CUSHIM__TEXT_SHOWN + 2 > CUSHIM__TEXTS)
        return;
    while (length < CUSHIM__TEXT_SHOWN && text[length])
        length++;
    argument->text = (uint8_t)(arguments->texts_used + 1);
    memcpy(arguments->texts + arguments->texts_used, text, length);
    arguments->texts[arguments->texts_used + length] = text[length] ? '\1' : '\0';
    arguments->texts_used = (uint8_t)(arguments->texts_used + length + 1);
}

static void decode(struct cushim__arguments *arguments, struct cushim__argument *argument,
                   struct cushim__decoder decoder)
{
    switch (decoder.form) {
    case CUSHIM__READ_HANDLE:
        argument->tag =
            tag_of_handle((enum cushim__object_type)decoder.type, argument->value, false);
        break;
    case CUSHIM__READ_ADDRESS:
        argument->tag = tag_of_memory(argument->value);
        break;
    case CUSHIM__READ_POINTER:
        if (argument->value && cushim__handle_at(argument->value))
            argument->tag = tag_of_memory(argument->value);
        break;
    case CUSHIM__READ_TEXT:
        keep_text(arguments, argument, (const char *)(uintptr_t)argument->value);
        break;
    default:
        break;
    }
}

void cushim__arguments_decode(struct cushim__call *call)
{
    struct cushim__arguments *arguments = &call->arguments;
    const unsigned count = cushim__parameter_count(call->slot);

    if (wanted == 0)
        return;
    arguments->is_decoded = true;
    arguments->recorded = 0;
    arguments->texts_used = 0;
    for (unsigned i = 0; i < count; i++) {
        arguments->list[i] = (struct cushim__argument){.value = call->values[i]};
        decode(arguments, &arguments->list[i], cushim__decoder_of(call->slot, i));
    }
}

static uint64_t read_bytes(uint64_t from, size_t size)
{
    uint32_t narrow;
    uint64_t wide;

    if (size == sizeof wide) {
        memcpy(&wide, (const void *)(uintptr_t)from, sizeof wide);
        return wide;
    }
    memcpy(&narrow, (const void *)(uintptr_t)from, sizeof narrow);
    return narrow;
}

bool cushim__written_read(struct cushim__decoder decoder, uint64_t where, uint64_t *value)
{
    if (decoder.form < CUSHIM__WRITTEN_HANDLE || where == 0)
        return false;
    switch (decoder.form) {
    case CUSHIM__WRITTEN_SIGNED:
        *value = (uint64_t)(int64_t)(int32_t)read_bytes(where, 4);
        break;
    case CUSHIM__WRITTEN_UNSIGNED:
    case CUSHIM__WRITTEN_FLOAT:
        *value = read_bytes(where, 4);
        break;
    default:
        *value = read_bytes(where, 8);
    }
    return true;
}

static void tag_written(struct cushim__arguments *arguments, struct cushim__argument *argument,
                        struct cushim__decoder decoder)
{
    if (!argument->is_written)
        return;
    if (decoder.form == CUSHIM__WRITTEN_HANDLE)
        argument->tag =
            tag_of_handle((enum cushim__object_type)decoder.type, argument->written, true);
    else if (decoder.form == CUSHIM__WRITTEN_ADDRESS)
        argument->tag = tag_of_memory(argument->written);
    else if (decoder.form == CUSHIM__WRITTEN_TEXT)
        keep_text(arguments, argument, (const char *)(uintptr_t)argument->written);
}

void cushim__arguments_decode_results(struct cushim__call *call, CUresult answer)
{
    struct cushim__arguments *arguments = &call->arguments;
    const bool has_succeeded = answer == CUDA_SUCCESS && !call->is_injected;
    const unsigned count = cushim__parameter_count(call->slot);

    for (unsigned i = 0; i < count && has_succeeded; i++)
        arguments->list[i].is_written =
            cushim__written_read(cushim__decoder_of(call->slot, i), arguments->list[i].value,
                                 &arguments->list[i].written);
    cushim__tracker_update(call, answer);
    for (unsigned i = 0; i < count && has_succeeded; i++)
        tag_written(arguments, &arguments->list[i], cushim__decoder_of(call->slot, i));
}

/* Print a text in quotes; escapes keep it on one line. */
static void add_text(struct cushim__text *text, const char *bytes)
{
    cushim__text_add(text, "\"");
    for (; (unsigned char)*bytes > 1; bytes++) {
        const unsigned char byte = (unsigned char)*bytes;

        if (byte == '"' || byte == '\\')
            cushim__text_format(text, "\\%c", byte);
        else if (byte < 0x20 || byte >= 0x7f)
            cushim__text_format(text, "\\x%02x", byte);
        else
            cushim__text_format(text, "%c", byte);
    }
    cushim__text_add(text, *bytes ? "...\"" : "\"");
}

/* Print a float with as few digits as identify it, and with a point in any locale. */
static void add_float(struct cushim__text *text, uint64_t bits)
{
    const uint32_t low = (uint32_t)bits;
    char digits[32];
    float number;

    memcpy(&number, &low, sizeof number);
    for (int precision = 6; precision <= 9; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, (double)number);
        if (strtof(digits, NULL) == number)
            break;
    }
    if (strchr(digits, ','))
        *strchr(digits, ',') = '.';
    cushim__text_add(text, digits);
}

static void add_tag(struct cushim__text *text, const struct cushim__tag *tag, uint64_t value)
{
    char name[CUSHIM_RECORDING_TAG_SIZE];

    cushim__tag_text(tag, value, name, sizeof name);
    cushim__text_add(text, name);
}

static void add_value(struct cushim__text *text, const struct cushim__arguments *arguments,
                      const struct cushim__argument *argument, enum cushim__form form)
{
    const uint64_t value = argument->is_written ? argument->written : argument->value;

    switch (form) {
    case CUSHIM__READ_HANDLE:
    case CUSHIM__READ_ADDRESS:
    case CUSHIM__WRITTEN_HANDLE:
    case CUSHIM__WRITTEN_ADDRESS:
        add_tag(text, &argument->tag, value);
        break;
    case CUSHIM__READ_SIGNED:
    case CUSHIM__WRITTEN_SIGNED:
        cushim__text_format(text, "%lld", (long long)value);
        break;
    case CUSHIM__READ_UNSIGNED:
    case CUSHIM__WRITTEN_UNSIGNED:
    case CUSHIM__WRITTEN_WIDE:
        cushim__text_format(text, "%llu", (unsigned long long)value);
        break;
    case CUSHIM__READ_RESULT:
        cushim__result_add(text, (CUresult)value);
        break;
    case CUSHIM__READ_FLOAT:
    case CUSHIM__WRITTEN_FLOAT:
        add_float(text, value);
        break;
    case CUSHIM__READ_STRUCT:
        cushim__text_add(text, "{...}");
        break;
    default:
        if (argument->text)
            add_text(text, arguments->texts + argument->text - 1);
        else if (argument->tag.number)
            add_tag(text, &argument->tag, value);
        else
            cushim__text_add(text, value ? "pointer" : "NULL");
    }
}

void cushim__argument_tag(const struct cushim__arguments *arguments, unsigned slot, unsigned index,
                          char *buffer, size_t size)
{
    const struct cushim__argument *argument = &arguments->list[index];
    const enum cushim__form form = (enum cushim__form)cushim__decoder_of(slot, index).form;
    const bool is_output = form >= CUSHIM__WRITTEN_HANDLE;
    struct cushim__text text;

    cushim__text_begin(&text, buffer, size);
    if ((argument->tag.type != CUSHIM__NO_TYPE && is_output == argument->is_written) ||
        argument->text)
        add_value(&text, arguments, argument, form);
}

void cushim__arguments_print(struct cushim__text *text, unsigned slot,
                             const struct cushim__arguments *arguments)
{
    const unsigned count = cushim__parameter_count(slot);

    cushim__text_format(text, "%s(", cushim__slot_name(slot));
    for (unsigned i = 0; i < count; i++) {
        const struct cushim__argument *argument = &arguments->list[i];
        const enum cushim__form form = (enum cushim__form)cushim__decoder_of(slot, i).form;

        cushim__text_format(text, "%s%s", i ? ", " : "", cushim__parameter_at(slot, i)->name);
        if (form >= CUSHIM__WRITTEN_HANDLE && !argument->is_written) {
            cushim__text_add(text, argument->value ? "" : "=NULL");
            continue;
        }
        cushim__text_add(text, argument->is_written ? " -> " : "=");
        add_value(text, arguments, argument, form);
    }
    cushim__text_add(text, ")");
}
