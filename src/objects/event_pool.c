/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pools of events.
 *
 * Events live in nodes, and nodes in chunks that never move and stay until the pool's end; chunk k
 * holds 64 << k of them. Two stacks link nodes by number: the free ones, with an open event, and
 * the vacant ones, whose event was closed. A stack is one 64-bit word, the number of the top node
 * and a tag that changes with every push and pop, so that a slow thread cannot mistake a later top
 * for the one that it saw (R. K. Treiber's stack). Such a thread may read a node while it belongs
 * to somebody else, and that is why chunks stay.
 *
 * In front of the free stack there is a place for one spare event, which is found without reading
 * any node. A thread that uses one event at a time takes and returns it with one exchange each.
 *
 * A bit in the word of the free stack, and the pool itself in the place of the spare event, mean
 * that the pool has ended. The exchange that would return an event then fails, and the thread that
 * brought it closes it. So no thread looks at the pool after that exchange, when it may be gone.
 * Only what is open is counted: the events, and the program for as long as it has references. The
 * last of them frees the memory.
 */
#include <cushim/event_pool.h>

#include <stdlib.h>

#include "src/base/options.h"
#include "src/objects/objects.h"

enum { FIRST_CHUNK = 64, CHUNKS = 26 };

/* FIRST_CHUNK * (2^CHUNKS - 1) */
#define MOST_NODES 4294967232u

struct node {
    struct cushim_event event; /* the first member: a pointer to it is a pointer to the node */
    atomic_uint next;          /* number, from 1, of the node below this in its stack; 0 if none */
    atomic_uint height;        /* height of the stack when this node last became its top */
};

struct stack {
    _Atomic uint64_t word;
};

struct cushim_event_pool {
    atomic_uint references; /* those of the program */
    atomic_size_t open;     /* number of open events, plus 1 while the program has the pool */
    struct cushim_context *context;
    unsigned flags;
    struct node *_Atomic spare; /* NULL if none; the pool itself once it has ended */
    struct stack free;
    struct stack vacant;
    atomic_uint nodes; /* number of nodes that were ever used */
    struct node *_Atomic chunks[CHUNKS];
};

static unsigned chunk_of(unsigned index)
{
    return 31 - (unsigned)__builtin_clz(index / FIRST_CHUNK + 1);
}

static struct node *node_at(const struct cushim_event_pool *pool, unsigned index)
{
    const unsigned chunk = chunk_of(index);
    const unsigned first = FIRST_CHUNK * ((1u << chunk) - 1);

    return atomic_load_explicit(&pool->chunks[chunk], memory_order_acquire) + (index - first);
}

/* This bit of a stack's word, between the top node's number and the tag, marks an ended pool. */
#define ENDED (UINT64_C(1) << 32)

/* Make the next word of a stack, with another top and another tag. */
static uint64_t next_word(uint64_t word, unsigned top)
{
    return ((word >> 33) + 1) << 33 | top;
}

/* Return the number of nodes that a stack had when its word was this one. */
static unsigned height_of(const struct cushim_event_pool *pool, uint64_t word)
{
    if (!(unsigned)word)
        return 0;
    return atomic_load_explicit(&node_at(pool, (unsigned)word - 1)->height, memory_order_relaxed);
}

/*
 * Returns false if the pool has ended. After a success another thread may own the node, and the
 * pool may be gone.
 */
static bool push(const struct cushim_event_pool *pool, struct stack *stack, struct node *node)
{
    const unsigned number = node->event.pool_index + 1;
    uint64_t word = atomic_load(&stack->word);

    do {
        if (word & ENDED)
            return false;
        atomic_store_explicit(&node->next, (unsigned)word, memory_order_relaxed);
        atomic_store_explicit(&node->height, height_of(pool, word) + 1, memory_order_relaxed);
    } while (!atomic_compare_exchange_weak(&stack->word, &word, next_word(word, number)));
    return true;
}

static struct node *pop(struct cushim_event_pool *pool, struct stack *stack)
{
    uint64_t word = atomic_load(&stack->word);
    struct node *node;
    unsigned next;

    do {
        if (!(unsigned)word)
            return NULL;
        node = node_at(pool, (unsigned)word - 1);
        next = atomic_load_explicit(&node->next, memory_order_relaxed);
    } while (!atomic_compare_exchange_weak(&stack->word, &word, next_word(word, next)));
    return node;
}

/* Ensure that a node has memory. If threads race, one allocation wins. */
static bool provide(struct cushim_event_pool *pool, unsigned index)
{
    const unsigned number = chunk_of(index);
    struct node *chunk, *none = NULL;

    if (atomic_load_explicit(&pool->chunks[number], memory_order_acquire))
        return true;
    chunk = calloc((size_t)FIRST_CHUNK << number, sizeof *chunk);
    if (chunk && !atomic_compare_exchange_strong(&pool->chunks[number], &none, chunk))
        free(chunk);
    return chunk || atomic_load_explicit(&pool->chunks[number], memory_order_acquire);
}

/* Get a node without an open event, used before or new. Returns NULL if memory is short. */
static struct node *take_vacant(struct cushim_event_pool *pool)
{
    struct node *node = pop(pool, &pool->vacant);
    unsigned index;

    if (node)
        return node;
    index = atomic_load(&pool->nodes);
    do {
        if (index == MOST_NODES || !provide(pool, index))
            return NULL;
    } while (!atomic_compare_exchange_weak(&pool->nodes, &index, index + 1));
    node = node_at(pool, index);
    node->event.ownership = CUSHIM__OWNED;
    node->event.context = pool->context;
    node->event.flags = pool->flags;
    node->event.flags_known = true;
    node->event.pool = pool;
    node->event.pool_index = index;
    return node;
}

/* Open another event of the pool, for the caller. */
static CUresult add(struct cushim_event_pool *pool, struct node **added)
{
    struct node *node = take_vacant(pool);
    CUresult code;

    if (!node)
        return CUDA_ERROR_OUT_OF_MEMORY;
    code = cushim__event_open(&node->event, NULL);
    if (code) {
        push(pool, &pool->vacant, node);
        return code;
    }
    atomic_fetch_add_explicit(&pool->open, 1, memory_order_relaxed);
    *added = node;
    return CUDA_SUCCESS;
}

/* Count one user less. The last one frees the memory. */
static CUresult leave_pool(struct cushim_event_pool *pool)
{
    CUresult code;

    if (atomic_fetch_sub_explicit(&pool->open, 1, memory_order_acq_rel) != 1)
        return CUDA_SUCCESS;
    code = cushim_context_release(pool->context);
    for (unsigned i = 0; i < CHUNKS; i++)
        free(atomic_load_explicit(&pool->chunks[i], memory_order_relaxed));
    free(pool);
    return code;
}

/* Take an event out of the pool for good. */
static CUresult retire(struct cushim_event_pool *pool, struct node *node)
{
    const CUresult code = cushim_event_close(&node->event);
    CUresult left;

    push(pool, &pool->vacant, node);
    left = leave_pool(pool);
    return code ? code : left;
}

/* Refuse events that come back from now on, and remove the free ones from the pool. */
static CUresult end_pool(struct cushim_event_pool *pool)
{
    struct node *spare = atomic_exchange(&pool->spare, (struct node *)pool);
    unsigned number = (unsigned)atomic_exchange(&pool->free.word, ENDED);
    CUresult first = spare ? retire(pool, spare) : CUDA_SUCCESS;

    while (number) {
        struct node *node = node_at(pool, number - 1);
        CUresult code;

        number = atomic_load_explicit(&node->next, memory_order_relaxed);
        code = retire(pool, node);
        first = first ? first : code;
    }
    return first;
}

/* Returns false if the pool has ended, as push() does. */
static bool return_node(struct cushim_event_pool *pool, struct node *node)
{
    struct node *none = NULL;

    return (!atomic_load_explicit(&pool->spare, memory_order_relaxed) &&
            atomic_compare_exchange_strong(&pool->spare, &none, node)) ||
           push(pool, &pool->free, node);
}

CUresult cushim__event_pool_take_back(struct cushim_event *event)
{
    struct cushim_event_pool *pool = event->pool;
    struct node *node = (struct node *)event;

    if (cushim__event_handle(event) && return_node(pool, node))
        return CUDA_SUCCESS;
    return retire(pool, node);
}

CUresult cushim_event_pool_create(struct cushim_context *context,
                                  const struct cushim_event_options *kind,
                                  const struct cushim_event_pool_options *options,
                                  struct cushim_event_pool **pool)
{
    struct cushim_event_pool_options known = {.size = sizeof known};
    struct cushim_event_pool *created;
    struct node *node;
    unsigned flags;

    if (!context)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!pool || !cushim__event_flags_of(kind, &flags) ||
        !cushim__options_read(&known, sizeof known, options))
        return CUDA_ERROR_INVALID_VALUE;
    created = calloc(1, sizeof *created);
    if (!created)
        return CUDA_ERROR_OUT_OF_MEMORY;
    atomic_init(&created->references, 1);
    atomic_init(&created->open, 1);
    created->context = cushim_context_retain(context);
    created->flags = flags;

    for (unsigned i = 0; i < known.initial; i++) {
        const CUresult code = add(created, &node);

        if (code) {
            cushim_event_pool_release(created);
            return code;
        }
        push(created, &created->free, node);
    }
    *pool = created;
    return CUDA_SUCCESS;
}

CUresult cushim_event_pool_acquire(struct cushim_event_pool *pool, struct cushim_event **event)
{
    struct node *node = NULL;

    if (!pool)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!event)
        return CUDA_ERROR_INVALID_VALUE;
    if (atomic_load_explicit(&pool->spare, memory_order_relaxed))
        node = atomic_exchange(&pool->spare, NULL);
    if (!node)
        node = pop(pool, &pool->free);
    if (!node) {
        const CUresult code = add(pool, &node);

        if (code)
            return code;
    }
    atomic_store_explicit(&node->event.references, 1, memory_order_relaxed);
    atomic_store_explicit(&node->event.recorded, false, memory_order_relaxed);
    atomic_store_explicit(&node->event.plain, false, memory_order_relaxed);
    *event = &node->event;
    return CUDA_SUCCESS;
}

CUresult cushim_event_pool_get_counts(const struct cushim_event_pool *pool, size_t *total,
                                      size_t *free)
{
    uint64_t word;
    size_t all, kept;

    if (!pool)
        return CUDA_ERROR_INVALID_HANDLE;
    do {
        word = atomic_load(&pool->free.word);
        kept = height_of(pool, word) + (atomic_load(&pool->spare) != NULL);
    } while (word != atomic_load(&pool->free.word));
    all = atomic_load(&pool->open) - 1;
    if (total)
        *total = all;
    if (free)
        *free = kept < all ? kept : all;
    return CUDA_SUCCESS;
}

struct cushim_event_pool *cushim_event_pool_retain(struct cushim_event_pool *pool)
{
    if (pool)
        cushim__retain(&pool->references);
    return pool;
}

CUresult cushim_event_pool_release(struct cushim_event_pool *pool)
{
    CUresult code, left;

    if (!pool || !cushim__drop(&pool->references))
        return CUDA_SUCCESS;
    code = end_pool(pool);
    left = leave_pool(pool);
    return code ? code : left;
}
