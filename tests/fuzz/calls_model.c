/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/fuzz/calls.h"

#include <string.h>

/* Values that are neither handles of the mock nor special streams. */
static const uint64_t garbage[] = {0x1234, UINT64_MAX, UINT64_C(0x7f0000001000), 0x3,
                                   UINT64_C(0x8000000000000000)};

static struct calls_object *find(struct calls *calls, enum calls_type type, unsigned from,
                                 enum calls_state state)
{
    for (unsigned i = 0; i < CALLS_OBJECTS; i++) {
        struct calls_object *object = &calls->objects[type][(from + i) % CALLS_OBJECTS];

        if (object->state == state)
            return object;
    }
    return NULL;
}

/* A live object of another type. */
static struct calls_object *find_other(struct calls *calls, enum calls_type type, unsigned from)
{
    static const enum calls_type others[] = {CALLS_EVENT, CALLS_STREAM, CALLS_GRAPH};

    for (unsigned i = 0; i < sizeof others / sizeof others[0]; i++) {
        struct calls_object *object =
            others[i] == type ? NULL : find(calls, others[i], from, CALLS_LIVE);

        if (object)
            return object;
    }
    return NULL;
}

uint64_t calls_pick(struct calls *calls, enum calls_type type, struct calls_object **object)
{
    const uint8_t byte = fuzz_byte(&calls->input);
    const unsigned place = byte % CALLS_OBJECTS, kind = byte / 32;
    const bool may_be_bad = !calls->has_bad && type != CALLS_MEMORY;
    struct calls_object *found = find(calls, type, place, CALLS_LIVE), *other = NULL;

    if (kind >= 5 && may_be_bad)
        other = kind == 5   ? find(calls, type, place, CALLS_DEAD)
                : kind == 6 ? find_other(calls, type, place)
                            : NULL;
    *object = NULL;
    if (kind == 4 && find(calls, type, place, CALLS_GONE))
        return find(calls, type, place, CALLS_GONE)->handle;
    if (other || (kind == 7 && may_be_bad)) {
        /* A destroyed context is recognised, and is no misuse. */
        calls->has_bad = !other || type != CALLS_CONTEXT || kind != 5;
        return other ? other->handle : garbage[place % (sizeof garbage / sizeof garbage[0])];
    }
    *object = found;
    calls->has_null = calls->has_null || !found;
    return found ? found->handle : 0;
}

void calls_drop(struct calls *calls)
{
    calls->has_bad = calls->has_null = calls->has_graph = false;
}

struct calls_object *calls_room(struct calls *calls, enum calls_type type)
{
    struct calls_object *object = find(calls, type, 0, CALLS_NEVER);

    if (!object)
        object = find(calls, type, fuzz_byte(&calls->input), CALLS_DEAD);
    return object ? object : find(calls, type, 0, CALLS_GONE);
}

/* Nothing refers to the former object in this slot any more. */
void calls_made(struct calls *calls, struct calls_object *object, uint64_t handle)
{
    memset(object, 0, sizeof *object);
    object->state = CALLS_LIVE;
    object->handle = handle;
    object->context = calls_current(calls);
}

struct calls_object *calls_current(const struct calls *calls)
{
    return calls->depth ? calls->stack[calls->depth - 1] : NULL;
}

void calls_end(struct calls *calls, struct calls_object *object, enum calls_state state)
{
    object->state = state;
    calls->may_fault = calls->may_fault || object->is_touched;
}

void calls_end_children(struct calls *calls, enum calls_type type,
                        const struct calls_object *parent)
{
    for (unsigned i = 0; i < CALLS_OBJECTS; i++) {
        struct calls_object *object = &calls->objects[type][i];

        if (object->state != CALLS_NEVER && object->parent == parent)
            object->state = CALLS_DEAD;
    }
}

/*
 * Graphs belong to no context, and memory of a pool belongs to the device. Modules and their
 * functions are destroyed with the context.
 */
void calls_end_context(struct calls *calls, struct calls_object *context)
{
    static const struct {
        enum calls_type type;
        enum calls_state state;
    } ends[] = {{CALLS_STREAM, CALLS_GONE},
                {CALLS_EVENT, CALLS_GONE},
                {CALLS_MEMORY, CALLS_GONE},
                {CALLS_MODULE, CALLS_DEAD},
                {CALLS_FUNCTION, CALLS_DEAD}};

    calls_drop_work(calls, context);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        for (unsigned place = 0; place < CALLS_OBJECTS; place++) {
            struct calls_object *object = &calls->objects[ends[i].type][place];

            if (object->state != CALLS_LIVE || object->context != context || object->is_pooled)
                continue;
            if (ends[i].type == CALLS_MEMORY)
                calls_lose_memory(calls, object);
            calls_end(calls, object, ends[i].state);
        }
    }
    context->state = CALLS_DEAD;
}

void calls_note(struct calls *calls, uint64_t number)
{
    calls->digest = (calls->digest ^ number) * UINT64_C(0x9e3779b97f4a7c15);
    calls->digest ^= calls->digest >> 29;
}

CUresult calls_judge(struct calls *calls, CUresult answer)
{
    struct cushim_mock_state state = {.size = sizeof state};
    size_t misuses;

    CLAIM(cushim_mock_get_state(calls->mock, &state) == CUDA_SUCCESS);
    misuses = state.misuses - calls->misuses;
    calls->misuses = state.misuses;
    CLAIM(state.now_ns >= calls->now_ns);
    CLAIM(calls->is_manual || answer != CUDA_ERROR_TIMEOUT);
    if (answer == CUDA_ERROR_ILLEGAL_ADDRESS) {
        CLAIM(calls->may_fault);
        calls->is_faulted = true;
    }
    if (calls->has_bad) {
        CLAIM(answer != CUDA_SUCCESS);
        /* The code is also that for NULL, which is no misuse and may be checked first. */
        CLAIM(misuses == (answer == CUDA_ERROR_INVALID_HANDLE) ||
              (misuses == 0 && calls->has_null));
    } else {
        CLAIM(misuses == (answer == CUDA_ERROR_TIMEOUT ||
                          (calls->has_graph && answer == CUDA_ERROR_INVALID_HANDLE)));
    }
    calls_drop(calls);
    calls->now_ns = state.now_ns;
    calls_note(calls, answer);
    calls_note(calls, state.now_ns);
    calls_note(calls, state.pending);
    calls_note(calls, state.handles);
    calls_note(calls, state.memory_bytes);
    return answer;
}

bool calls_allows(struct calls *calls, CUresult answer)
{
    const struct calls_object *top = calls_current(calls);

    if (answer == CUDA_SUCCESS || calls->is_faulted)
        return true;
    if (!calls->may_fault || answer != CUDA_ERROR_CONTEXT_IS_DESTROYED || !top ||
        top->state == CALLS_LIVE)
        return false;
    calls->is_suspected = true;
    return true;
}
