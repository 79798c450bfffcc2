/* SPDX-License-Identifier: Apache-2.0 */
#include "src/layer/arguments.h"

#include <string.h>

#include "src/layer/decoder.h"
#include "src/layer/tracker.h"
#include "src/layer/watch.h"

unsigned cushim__seen_count(unsigned slot)
{
    return (unsigned)(cushim__parameter_first[slot + 1] - cushim__parameter_first[slot]);
}

const struct cushim__parameter *cushim__seen_parameter(unsigned slot, unsigned index)
{
    return &cushim__parameters[cushim__parameter_first[slot] + index];
}

struct cushim__reading cushim__seen_reading(unsigned slot, unsigned index)
{
    return cushim__reading_of(cushim__parameter_first[slot] + index);
}

/* Values that the driver defines: no handle, and the default streams. */
static bool is_fixed(enum cushim__noun noun, uint64_t value)
{
    return value == 0 || (noun == CUSHIM__NOUN_STREAM && value <= (uintptr_t)CU_STREAM_PER_THREAD);
}

static struct cushim__tag tag_of_memory(uint64_t address)
{
    const struct cushim__known *known = cushim__known_memory(address);
    struct cushim__tag tag = {.noun = CUSHIM__NOUN_MEMORY};

    if (known) {
        tag = cushim__known_tag(known);
        tag.offset = address - known->value;
    }
    return tag;
}

static struct cushim__tag tag_of_handle(enum cushim__noun noun, uint64_t value, bool is_given)
{
    const struct cushim__known *known = NULL;

    if (!is_fixed(noun, value))
        known =
            is_given ? cushim__known_given(noun, value) : cushim__known_handle(noun, value, true);
    return known ? cushim__known_tag(known) : (struct cushim__tag){.noun = (uint8_t)noun};
}

/* Keep the beginning of a text: it may be gone when it is shown. */
static void keep_text(struct cushim__seen *seen, struct cushim__argument *argument,
                      const char *text)
{
    size_t length = 0;

    if (!text || seen->texts_used + CUSHIM__TEXT_SHOWN + 2 > CUSHIM__TEXTS)
        return;
    while (length < CUSHIM__TEXT_SHOWN && text[length])
        length++;
    argument->text = (uint8_t)(seen->texts_used + 1);
    memcpy(seen->texts + seen->texts_used, text, length);
    seen->texts[seen->texts_used + length] = text[length] ? '\1' : '\0';
    seen->texts_used = (uint8_t)(seen->texts_used + length + 1);
}

static void begin(struct cushim__seen *seen, struct cushim__argument *argument,
                  struct cushim__reading reading)
{
    switch (reading.form) {
    case CUSHIM__READ_HANDLE:
        argument->tag = tag_of_handle((enum cushim__noun)reading.noun, argument->value, false);
        break;
    case CUSHIM__READ_ADDRESS:
        argument->tag = tag_of_memory(argument->value);
        break;
    case CUSHIM__READ_POINTER:
        if (argument->value && cushim__known_memory(argument->value))
            argument->tag = tag_of_memory(argument->value);
        break;
    case CUSHIM__READ_TEXT:
        keep_text(seen, argument, (const char *)(uintptr_t)argument->value);
        break;
    default:
        break;
    }
}

void cushim__seen_begin(struct cushim__seen *seen, const struct cushim__call *call)
{
    const unsigned count = cushim__seen_count(call->slot);

    seen->is_filled = true;
    for (unsigned i = 0; i < count; i++) {
        seen->arguments[i] = (struct cushim__argument){.value = call->values[i]};
        begin(seen, &seen->arguments[i], cushim__seen_reading(call->slot, i));
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

/* What the driver has written, as bits. */
static void read_written(struct cushim__argument *argument, enum cushim__form form)
{
    if (form < CUSHIM__WRITTEN_HANDLE || argument->value == 0)
        return;
    argument->is_written = true;
    switch (form) {
    case CUSHIM__WRITTEN_SIGNED:
        argument->written = (uint64_t)(int64_t)(int32_t)read_bytes(argument->value, 4);
        break;
    case CUSHIM__WRITTEN_UNSIGNED:
    case CUSHIM__WRITTEN_FLOAT:
        argument->written = read_bytes(argument->value, 4);
        break;
    default:
        argument->written = read_bytes(argument->value, 8);
    }
}

static void tag_written(struct cushim__seen *seen, struct cushim__argument *argument,
                        struct cushim__reading reading)
{
    if (!argument->is_written)
        return;
    if (reading.form == CUSHIM__WRITTEN_HANDLE)
        argument->tag = tag_of_handle((enum cushim__noun)reading.noun, argument->written, true);
    else if (reading.form == CUSHIM__WRITTEN_ADDRESS)
        argument->tag = tag_of_memory(argument->written);
    else if (reading.form == CUSHIM__WRITTEN_TEXT)
        keep_text(seen, argument, (const char *)(uintptr_t)argument->written);
}

void cushim__seen_end(struct cushim__seen *seen, const struct cushim__call *call, CUresult answer)
{
    const bool is_done = answer == CUDA_SUCCESS && !call->is_injected;
    const unsigned count = cushim__seen_count(call->slot);

    for (unsigned i = 0; i < count && is_done; i++)
        read_written(&seen->arguments[i],
                     (enum cushim__form)cushim__seen_reading(call->slot, i).form);
    cushim__book_enter(seen, call, answer);
    for (unsigned i = 0; i < count && is_done; i++)
        tag_written(seen, &seen->arguments[i], cushim__seen_reading(call->slot, i));
}
