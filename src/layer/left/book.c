/* SPDX-License-Identifier: Apache-2.0 */
#include "src/layer/left/book.h"

#include <string.h>

#include "src/layer/layer.h"
#include "src/layer/left/current.h"
#include "src/layer/left/deed.h"

struct entry {
    const struct cushim__deed *deed;
    const struct cushim__seen *seen;
    const struct cushim__call *call;
    CUresult answer;
};

/* What was passed or written there. */
static uint64_t value_of(const struct entry *entry, unsigned parameter)
{
    const struct cushim__argument *argument = &entry->seen->arguments[parameter];

    return argument->is_written ? argument->written : argument->value;
}

/* 0: it is not known, as where a size was not asked for. */
static uint64_t amount_of(const struct entry *entry)
{
    const struct cushim__deed *deed = entry->deed;
    const unsigned slot = entry->call->slot;
    uint64_t amount = 1;

    if (deed->amount != CUSHIM__NO_PARAMETER) {
        const struct cushim__argument *argument = &entry->seen->arguments[deed->amount];
        const unsigned form = cushim__seen_reading(slot, deed->amount).form;

        amount = form < CUSHIM__WRITTEN_HANDLE || argument->is_written
                     ? value_of(entry, deed->amount)
                     : 0;
    }
    if (deed->times != CUSHIM__NO_PARAMETER)
        amount *= value_of(entry, deed->times);
    return amount;
}

static enum cushim__noun noun_of(const struct entry *entry)
{
    return (enum cushim__noun)entry->deed->noun;
}

static struct cushim__known *find(enum cushim__noun noun, uint64_t value)
{
    struct cushim__known *known = cushim__known_handle(noun, value, false);

    return known && known->is_gone ? NULL : known;
}

static void sign(const struct entry *entry, struct cushim__maker *maker)
{
    uintptr_t function;

    memcpy(&function, cushim__table_slot(&cushim__layer_table, entry->call->slot), sizeof function);
    maker->slot = entry->call->slot;
    maker->call = entry->call->number;
    maker->thread = entry->call->thread;
    cushim__place_take(&maker->place, entry->call->function, function);
}

static struct cushim__known *current(const struct entry *entry)
{
    const uint64_t context = cushim__current_get(entry->call->thread);

    return context ? cushim__known_handle(CUSHIM__NOUN_CONTEXT, context, true) : NULL;
}

static void make(const struct entry *entry, bool is_here)
{
    const uint64_t value = value_of(entry, entry->deed->parameter), amount = amount_of(entry);
    const bool has_bytes = noun_of(entry) == CUSHIM__NOUN_MEMORY;
    const bool is_counted = noun_of(entry) == CUSHIM__NOUN_USER_OBJECT;
    struct cushim__known *known;

    if (value == 0)
        return;
    known = cushim__known_make(noun_of(entry), value, has_bytes ? amount : 0);
    if (!known)
        return;
    known->uses = is_counted ? amount : 1;
    known->is_live = true;
    sign(entry, &known->maker);
    if (is_here)
        cushim__known_own(current(entry), known);
}

/* Opened once more, or the graph that was captured into. */
static void make_rest(const struct entry *entry)
{
    const uint64_t value = value_of(entry, entry->deed->parameter);
    struct cushim__known *known = find(noun_of(entry), value);

    if (!known)
        make(entry, noun_of(entry) == CUSHIM__NOUN_MEMORY);
    else if (noun_of(entry) != CUSHIM__NOUN_GRAPH)
        known->uses++;
}

static void show(const struct entry *entry)
{
    const struct cushim__deed *deed = entry->deed;
    const struct cushim__argument *argument = &entry->seen->arguments[deed->parameter];
    struct cushim__known *owner, *known;

    if (!argument->is_written || argument->written == 0)
        return;
    if (deed->noun == CUSHIM__NOUN_GLOBAL) {
        known = cushim__known_memory(argument->written);
        if (!known)
            known = cushim__known_make(CUSHIM__NOUN_GLOBAL, argument->written,
                                       amount_of(entry) ? amount_of(entry) : 1);
    } else {
        known = cushim__known_given(noun_of(entry), argument->written);
    }
    owner = find((enum cushim__noun)deed->owner_noun, value_of(entry, deed->owner));
    if (known && owner && !known->owner && !known->is_live)
        cushim__known_own(owner, known);
}

/*
 * Whether the program has done its part to give something back: not if the call was refused for
 * what it was called with. A driver that answers an earlier error may have done it or not, and one
 * that a fault has kept from it will never know.
 */
static bool is_given(const struct entry *entry)
{
    if (entry->call->is_injected)
        return true;
    switch (entry->answer) {
    case CUDA_ERROR_INVALID_VALUE:
    case CUDA_ERROR_NOT_INITIALIZED:
    case CUDA_ERROR_DEINITIALIZED:
    case CUDA_ERROR_INVALID_CONTEXT:
    case CUDA_ERROR_CONTEXT_ALREADY_IN_USE:
    case CUDA_ERROR_INVALID_HANDLE:
    case CUDA_ERROR_NOT_FOUND:
    case CUDA_ERROR_NOT_READY:
    case CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED:
    case CUDA_ERROR_NOT_PERMITTED:
    case CUDA_ERROR_NOT_SUPPORTED:
    case CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED:
    case CUDA_ERROR_STREAM_CAPTURE_IMPLICIT:
        return false;
    default:
        return true;
    }
}

static bool is_done(const struct entry *entry)
{
    return entry->answer == CUDA_SUCCESS && !entry->call->is_injected;
}

static void end(const struct entry *entry, struct cushim__known *known)
{
    if (known->noun == CUSHIM__NOUN_CONTEXT && is_done(entry) &&
        cushim__current_get(entry->call->thread) == known->value)
        cushim__current_pop(entry->call->thread);
    known->is_live = false;
    if (is_done(entry))
        cushim__known_end(known);
}

static void release(const struct entry *entry, struct cushim__known *known, uint64_t count)
{
    known->uses -= count < known->uses ? count : known->uses;
    if (known->uses == 0)
        end(entry, known);
}

/* A primary context keeps its tag: it is the same for as long as the process lives. */
static void end_primary(struct cushim__known *known)
{
    known->is_live = false;
    cushim__known_end_owned(known);
}

static void retain_primary(const struct entry *entry)
{
    struct cushim__known *known =
        cushim__known_given(CUSHIM__NOUN_CONTEXT, value_of(entry, entry->deed->parameter));

    if (!known)
        return;
    known->device = (int)value_of(entry, entry->deed->amount);
    /* Within a call of the program the layer itself holds a context (hold.h). */
    if (!known->is_live || entry->call->nested == 0)
        sign(entry, &known->retainer);
    if (!known->is_live) {
        known->uses = 0;
        known->is_live = true;
        known->maker = known->retainer;
    }
    known->uses++;
}

static void leave_primary(const struct entry *entry)
{
    struct cushim__known *known = cushim__known_primary((int)value_of(entry, entry->deed->amount));

    if (!known)
        return;
    if (entry->deed->act == CUSHIM__RELEASES_PRIMARY && known->uses > 0)
        known->uses--;
    if (known->uses == 0 || entry->deed->act == CUSHIM__RESETS_PRIMARY)
        end_primary(known);
}

/* What begins, or becomes current. */
static void enter_done(const struct entry *entry)
{
    const struct cushim__deed *deed = entry->deed;
    struct cushim__known *known;

    switch (deed->act) {
    case CUSHIM__MAKES:
    case CUSHIM__MAKES_HERE:
    case CUSHIM__TAKES_HERE:
        make(entry, deed->act != CUSHIM__MAKES);
        break;
    case CUSHIM__MAKES_REST:
        make_rest(entry);
        break;
    case CUSHIM__SHOWS:
        show(entry);
        break;
    case CUSHIM__RETAINS:
        known = find(noun_of(entry), value_of(entry, deed->parameter));
        if (known && known->device < 0)
            known->uses += amount_of(entry);
        break;
    case CUSHIM__RETAINS_PRIMARY:
        retain_primary(entry);
        break;
    case CUSHIM__PUSHES:
        cushim__current_push(entry->call->thread, value_of(entry, deed->parameter));
        break;
    case CUSHIM__POPS:
        cushim__current_pop(entry->call->thread);
        break;
    case CUSHIM__SETS:
        cushim__current_set(entry->call->thread, value_of(entry, deed->parameter));
        break;
    default:
        break;
    }
}

/* What is given back. */
static void enter_given(const struct entry *entry)
{
    const struct cushim__deed *deed = entry->deed;
    struct cushim__known *known = NULL;

    if (deed->parameter != CUSHIM__NO_PARAMETER)
        known = find(noun_of(entry), value_of(entry, deed->parameter));
    /* Another thread may have been given the same value since the call began. */
    if (known && known->number != entry->seen->arguments[deed->parameter].tag.number)
        known = NULL;
    switch (deed->act) {
    case CUSHIM__ENDS:
        if (known)
            end(entry, known);
        break;
    case CUSHIM__RELEASES:
        if (known && known->device < 0)
            release(entry, known, amount_of(entry));
        break;
    case CUSHIM__MOVES:
        if (known && value_of(entry, deed->owner) & CU_GRAPH_USER_OBJECT_MOVE)
            release(entry, known, amount_of(entry));
        break;
    case CUSHIM__RELEASES_PRIMARY:
    case CUSHIM__RESETS_PRIMARY:
        leave_primary(entry);
        break;
    default:
        break;
    }
}

void cushim__book_enter(const struct cushim__seen *seen, const struct cushim__call *call,
                        CUresult answer)
{
    struct entry entry = {.seen = seen, .call = call, .answer = answer};

    for (entry.deed = cushim__deed_first(call->slot); entry.deed;
         entry.deed = cushim__deed_next(entry.deed)) {
        if (is_given(&entry))
            enter_given(&entry);
        if (is_done(&entry))
            enter_done(&entry);
    }
}

void cushim__book_excuse_primary(int device)
{
    struct cushim__known *known = cushim__known_primary(device);

    if (known && known->uses > 0)
        known->is_live = --known->uses > 0;
}
