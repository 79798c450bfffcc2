/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits for values in memory. Whoever writes the value may do so after anything that is submitted
 * until then, so behind such a wait everything is taken to come before.
 */
#include <stdlib.h>

#include "src/mock/sim/sim.h"
#include "src/race/internal.h"

enum { FIRST_ROOM = 16 };

/* Whether an operation still waits for a value that was submitted up to a number. */
static bool is_awaiting(uint64_t number)
{
    const struct race_search *races = cushim__race_search();

    for (size_t i = 0; i < races->awaiting_count; i++) {
        if (races->awaiting[i] <= number)
            return true;
    }
    return false;
}

static bool add_awaiting(uint64_t number)
{
    struct race_search *races = cushim__race_search();

    if (races->awaiting_count >= races->awaiting_room) {
        const size_t room = races->awaiting_room > 0 ? races->awaiting_room * 2 : FIRST_ROOM;
        uint64_t *awaiting = realloc(races->awaiting, room * sizeof *awaiting);

        if (!awaiting)
            return false;
        races->awaiting = awaiting;
        races->awaiting_room = room;
    }
    races->awaiting[races->awaiting_count++] = number;
    return true;
}

bool cushim__race_value_close(struct race_clock **clock)
{
    if (!*clock || (*clock)->open == 0 || is_awaiting((*clock)->open))
        return true;
    return cushim__race_clock_raise(clock, cushim__race_search()->released, 0);
}

bool cushim__race_value_follow(struct race_clock **before, uint64_t number, bool waits)
{
    if (waits)
        return add_awaiting(number) && cushim__race_clock_raise(before, number - 1, number);
    if (!cushim__race_value_close(before))
        return false;
    return !*before || (*before)->open == 0 ||
           cushim__race_clock_raise(before, number - 1, (*before)->open);
}

void cushim__race_released(const struct mock_operation *operation)
{
    struct race_search *races = cushim__race_search();

    if (!races || operation->number == 0)
        return;
    for (size_t i = 0; i < races->awaiting_count; i++) {
        if (races->awaiting[i] != operation->number)
            continue;
        races->awaiting[i] = races->awaiting[--races->awaiting_count];
        races->released = cushim__mock_sim_submitted();
        return;
    }
}
