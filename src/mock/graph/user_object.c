/* SPDX-License-Identifier: Apache-2.0 */
/*
 * User objects. A thread of their own calls their destructors, as the reference demands: these may
 * take their time, and no call waits for them.
 */
#include "src/mock/graph/graph.h"

#include <stdlib.h>

#include "src/mock/core/state.h"

struct mock_user_object {
    struct mock_object object;
    unsigned long long references;
    unsigned long long in_graphs; /* those of graphs, which the program cannot release */
    CUhostFn destroy;
    void *pointer;
    struct mock_user_object *next; /* in the queue of those to be destroyed */
};

struct mock_held {
    struct mock_held *next;
    struct mock_user_object *object;
    unsigned long long references;
};

/* The thread that calls destructors. */
static struct {
    struct cushim__thread thread;
    struct cushim__condition work;
    uint64_t serial; /* of the mock that it runs for; 0 if it does not run */
    bool stop;
    struct mock_user_object *first, *last;
} reaper;

static void reap(struct mock_user_object *object)
{
    reaper.first = object->next;
    if (!reaper.first)
        reaper.last = NULL;
    cushim__lock_release(&cushim__mock->lock);
    cushim__mock_call.in_host_function = true;
    object->destroy(object->pointer);
    cushim__mock_call.in_host_function = false;
    free(object);
    cushim__lock_take(&cushim__mock->lock);
}

static void *run(void *data)
{
    cushim__lock_take(&cushim__mock->lock);
    while (reaper.first || !reaper.stop) {
        if (reaper.first)
            reap(reaper.first);
        else
            cushim__condition_wait(&reaper.work, &cushim__mock->lock);
    }
    cushim__lock_release(&cushim__mock->lock);
    return data;
}

/* In a forked process, the thread of the former mock does not exist any more. */
static CUresult start(void)
{
    if (reaper.serial == cushim__mock->serial)
        return CUDA_SUCCESS;
    reaper.first = reaper.last = NULL;
    if (!cushim__thread_start(&reaper.thread, run, NULL))
        return CUDA_ERROR_OUT_OF_MEMORY;
    reaper.serial = cushim__mock->serial;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_user_object_create(CUhostFn destroy, void *pointer,
                                         unsigned long long references,
                                         struct mock_user_object **object)
{
    CUresult code = start();

    if (code != CUDA_SUCCESS)
        return code;
    *object = cushim__mock_object_create(sizeof **object, MOCK_USER_OBJECT, NULL, NULL);
    if (!*object)
        return CUDA_ERROR_OUT_OF_MEMORY;
    (*object)->references = references;
    (*object)->destroy = destroy;
    (*object)->pointer = pointer;
    return CUDA_SUCCESS;
}

void cushim__mock_user_objects_clear(void)
{
    if (reaper.serial != cushim__mock->serial)
        return;
    reaper.stop = true;
    cushim__condition_signal(&reaper.work);
    cushim__lock_release(&cushim__mock->lock);
    cushim__thread_join(&reaper.thread);
    cushim__lock_take(&cushim__mock->lock);
    reaper.serial = 0;
    reaper.stop = false;
}

bool cushim__mock_user_object_owns(const struct mock_user_object *object, unsigned count)
{
    const unsigned long long own = object->references - object->in_graphs;

    if (count > own)
        cushim__mock_misuse(CUSHIM__MOCK_FOUND_UNDEFINED,
                            "%u references are given away, the program has %llu", count, own);
    return count <= own;
}

void cushim__mock_user_object_retain(struct mock_user_object *object, unsigned long long count)
{
    object->references += count;
}

void cushim__mock_user_object_release(struct mock_user_object *object, unsigned long long count)
{
    object->references -= count;
    if (object->references > 0)
        return;
    cushim__mock_object_remove(object);
    object->next = NULL;
    *(reaper.last ? &reaper.last->next : &reaper.first) = object;
    reaper.last = object;
    cushim__condition_signal(&reaper.work);
}

static void release_from_graph(struct mock_user_object *object, unsigned long long count)
{
    object->in_graphs -= count;
    cushim__mock_user_object_release(object, count);
}

CUresult cushim__mock_held_add(struct mock_held **list, struct mock_user_object *object,
                               unsigned long long count)
{
    struct mock_held *held = *list;

    while (held && held->object != object)
        held = held->next;
    if (!held) {
        held = calloc(1, sizeof *held);
        if (!held)
            return CUDA_ERROR_OUT_OF_MEMORY;
        held->object = object;
        held->next = *list;
        *list = held;
    }
    held->references += count;
    object->in_graphs += count;
    return CUDA_SUCCESS;
}

void cushim__mock_held_free(struct mock_held *held)
{
    while (held) {
        struct mock_held *next = held->next;

        free(held);
        held = next;
    }
}

void cushim__mock_held_forget(struct mock_graph *graph)
{
    cushim__mock_held_free(graph->held);
    graph->held = NULL;
    for (const struct mock_node *node = graph->first; node; node = node->next) {
        struct mock_graph *inner;

        for (unsigned i = 0; (inner = cushim__mock_work_graph(&node->work, i)); i++)
            cushim__mock_held_forget(inner);
    }
}

void cushim__mock_held_release(struct mock_held *held)
{
    for (const struct mock_held *one = held; one; one = one->next)
        release_from_graph(one->object, one->references);
    cushim__mock_held_free(held);
}

bool cushim__mock_held_copy(const struct mock_held *held, struct mock_held **copy)
{
    for (; held; held = held->next) {
        if (cushim__mock_held_add(copy, held->object, held->references) != CUDA_SUCCESS)
            return false;
        cushim__mock_user_object_retain(held->object, held->references);
    }
    return true;
}

bool cushim__mock_held_copy_all(const struct mock_graph *graph, struct mock_held **list)
{
    bool complete = cushim__mock_held_copy(graph->held, list);

    for (const struct mock_node *node = graph->first; node; node = node->next) {
        const struct mock_graph *inner;

        for (unsigned i = 0; complete && (inner = cushim__mock_work_graph(&node->work, i)); i++)
            complete = cushim__mock_held_copy_all(inner, list);
    }
    return complete;
}

void cushim__mock_held_remove(struct mock_held **list, struct mock_user_object *object,
                              unsigned long long count)
{
    struct mock_held **link = list, *held;

    while (*link && (*link)->object != object)
        link = &(*link)->next;
    held = *link;
    if (!held || held->references < count)
        return;
    held->references -= count;
    if (held->references == 0) {
        *link = held->next;
        free(held);
    }
    release_from_graph(object, count);
}
