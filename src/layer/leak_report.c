/* SPDX-License-Identifier: Apache-2.0 */
#include "src/layer/leak_report.h"

#include <string.h>

#include "loader/symbols.h"
#include "src/layer/handle_table.h"
#include "src/layer/tag.h"

/* Of a noun; there may be thousands. */
enum { TOLD = 8 };

struct left {
    size_t count;
    uint64_t bytes;
};

static struct left count(enum cushim__noun noun, uint64_t since)
{
    const struct cushim__known *known = NULL;
    struct left left = {.count = 0};

    while ((known = cushim__known_next(noun, known)) != NULL) {
        if (!known->is_live || known->maker.call <= since)
            continue;
        left.count++;
        left.bytes += noun == CUSHIM__NOUN_MEMORY ? known->bytes : 0;
    }
    return left;
}

/* The first that was made by a later call than this. */
static const struct cushim__known *made_after(enum cushim__noun noun, uint64_t call)
{
    const struct cushim__known *known = NULL, *first = NULL;

    while ((known = cushim__known_next(noun, known)) != NULL) {
        if (known->is_live && known->maker.call > call &&
            (!first || known->maker.call < first->maker.call))
            first = known;
    }
    return first;
}

static void tell(struct cushim__text *text, const struct cushim__known *known)
{
    const struct cushim__tag tag = cushim__known_tag(known);
    const struct cushim__maker *maker = known->device >= 0 ? &known->retainer : &known->maker;
    char name[CUSHIM_TAG_SIZE];

    cushim__tag_text(&tag, known->value, name, sizeof name);
    cushim__text_format(text, "  %s", name);
    if (known->noun == CUSHIM__NOUN_MEMORY && known->bytes > 0)
        cushim__text_format(text, ", %llu bytes", (unsigned long long)known->bytes);
    if (known->device >= 0)
        cushim__text_format(text, ", primary context of device %d", known->device);
    if (known->uses > 1)
        cushim__text_format(text, ", %llu references", (unsigned long long)known->uses);
    cushim__text_format(text, ", by %s, call %llu of thread %u, at ",
                        cushim__slot_name(maker->slot), (unsigned long long)maker->call,
                        maker->thread);
    cushim__place_text(text, &maker->place);
    cushim__text_add(text, "\n");
}

static void tell_noun(struct cushim__text *text, enum cushim__noun noun, uint64_t since)
{
    const struct left left = count(noun, since);
    const struct cushim__known *known = NULL;
    size_t told = 0;

    if (left.count == 0)
        return;
    cushim__text_format(text, "%zu %s not given back", left.count,
                        left.count == 1 ? cushim__noun_single(noun) : cushim__noun_plural(noun));
    if (left.bytes > 0)
        cushim__text_format(text, ", %llu bytes", (unsigned long long)left.bytes);
    cushim__text_add(text, ":\n");
    while (told < TOLD && (known = made_after(noun, known ? known->maker.call : since)) != NULL) {
        tell(text, known);
        told++;
    }
    if (told < left.count)
        cushim__text_format(text, "  and %zu more\n", left.count - told);
}

void cushim__left_tell(struct cushim__text *text)
{
    cushim__left_tell_since(text, 0);
}

void cushim__left_tell_since(struct cushim__text *text, uint64_t call)
{
    for (unsigned noun = 0; noun < CUSHIM__NOUNS; noun++)
        tell_noun(text, (enum cushim__noun)noun, call);
}

void cushim__left_cut(struct cushim__text *text)
{
    static const char end[] = "...\n";

    if (text->length >= text->size && text->size >= sizeof end)
        memcpy(text->buffer + text->size - sizeof end, end, sizeof end);
}
