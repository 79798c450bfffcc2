/* SPDX-License-Identifier: Apache-2.0 */
#include "src/layer/current_context.h"

#include <stdlib.h>

/* What is deeper is not known again when it comes back. */
enum { DEPTH = 16 };

struct stack {
    uint64_t contexts[DEPTH];
    unsigned depth;
};

static struct stack *stacks; /* by thread */
static unsigned room;

/* NULL: no memory. */
static struct stack *stack_of(unsigned thread)
{
    if (thread >= room) {
        const unsigned larger = thread < 8 ? 16 : 2 * thread;
        struct stack *moved = realloc(stacks, larger * sizeof *moved);

        if (!moved)
            return NULL;
        for (unsigned i = room; i < larger; i++)
            moved[i].depth = 0;
        stacks = moved;
        room = larger;
    }
    return &stacks[thread];
}

uint64_t cushim__current_get(unsigned thread)
{
    const struct stack *stack = stack_of(thread);

    if (!stack || stack->depth == 0 || stack->depth > DEPTH)
        return 0;
    return stack->contexts[stack->depth - 1];
}

void cushim__current_push(unsigned thread, uint64_t context)
{
    struct stack *stack = stack_of(thread);

    if (!stack)
        return;
    if (stack->depth < DEPTH)
        stack->contexts[stack->depth] = context;
    stack->depth++;
}

void cushim__current_pop(unsigned thread)
{
    struct stack *stack = stack_of(thread);

    if (stack && stack->depth > 0)
        stack->depth--;
}

void cushim__current_set(unsigned thread, uint64_t context)
{
    cushim__current_pop(thread);
    if (context)
        cushim__current_push(thread, context);
}

void cushim__current_clear(void)
{
    free(stacks);
    stacks = NULL;
    room = 0;
}
