/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of calls as text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/result.h"
#include "src/base/text.h"
#include "src/layer/recording/reading.h"
#include "src/layer/recording/seen.h"
#include "src/layer/recording/tag.h"
#include "src/layer/watch.h"

/* In quotes, and on one line whatever it holds. */
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

/* As few digits as tell it from others; with a point, whatever the program's locale. */
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
    char name[CUSHIM_TAG_SIZE];

    cushim__tag_text(tag, value, name, sizeof name);
    cushim__text_add(text, name);
}

static void add_value(struct cushim__text *text, const struct cushim__seen *seen,
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
            add_text(text, seen->texts + argument->text - 1);
        else if (argument->tag.number)
            add_tag(text, &argument->tag, value);
        else
            cushim__text_add(text, value ? "pointer" : "NULL");
    }
}

void cushim__seen_show(const struct cushim__seen *seen, unsigned slot, unsigned index, char *buffer,
                       size_t size)
{
    const struct cushim__argument *argument = &seen->arguments[index];
    const enum cushim__form form = (enum cushim__form)cushim__seen_reading(slot, index).form;
    struct cushim__text text;

    cushim__text_begin(&text, buffer, size);
    if (form >= CUSHIM__WRITTEN_HANDLE && !argument->is_written) {
        cushim__text_add(&text, argument->value ? "" : "=NULL");
        return;
    }
    cushim__text_add(&text, argument->is_written ? " -> " : "=");
    add_value(&text, seen, argument, form);
}

void cushim__seen_tag(const struct cushim__seen *seen, unsigned slot, unsigned index, char *buffer,
                      size_t size)
{
    const struct cushim__argument *argument = &seen->arguments[index];
    const enum cushim__form form = (enum cushim__form)cushim__seen_reading(slot, index).form;
    const bool is_output = form >= CUSHIM__WRITTEN_HANDLE;
    struct cushim__text text;

    cushim__text_begin(&text, buffer, size);
    if ((argument->tag.noun != CUSHIM__NO_NOUN && is_output == argument->is_written) ||
        argument->text)
        add_value(&text, seen, argument, form);
}
