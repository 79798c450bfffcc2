/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a mock hands over (src/layer/mock_interface.h). It is a finding like others; while nothing is
 * checked, it only becomes a line of text. The mock's lock comes after the layer's, under which
 * findings are kept, so they wait until the end of a call. What check has found itself in the call,
 * such as that the handle is that of a destroyed object, is not found a second time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/check/finding.h"

struct waiting {
    struct waiting *next;
    struct cushim__finding finding;
    uint64_t memory; /* where the memory of a race begins, or 0 */
};
static struct cushim__lock lock; /* comes after all others */
static struct waiting *first, **last = &first;
static bool are_waiting; /* read without the lock */

static const enum cushim__check_id ids[] = {
    [CUSHIM__MOCK_FOUND_HANDLE] = CUSHIM__CHECK_HANDLE_UNKNOWN,
    [CUSHIM__MOCK_FOUND_UNDEFINED] = CUSHIM__CHECK_CALL_UNDEFINED,
    [CUSHIM__MOCK_FOUND_WAIT] = CUSHIM__CHECK_WAIT_ENDLESS,
    [CUSHIM__MOCK_FOUND_RACE] = CUSHIM__CHECK_RACE,
    [CUSHIM__MOCK_FOUND_KERNEL_RACE] = CUSHIM__CHECK_KERNEL_RACE,
};

static struct cushim__maker maker_of(const struct cushim__mock_call *call)
{
    return (struct cushim__maker){.slot = cushim__check_slot_of(call->name), .place = call->place};
}

static void wait_for_call(const struct cushim__finding *finding, uint64_t memory)
{
    struct waiting *one = malloc(sizeof *one);

    if (!one)
        return;
    *one = (struct waiting){.finding = *finding, .memory = memory};
    cushim__lock_take(&lock);
    *last = one;
    last = &one->next;
    __atomic_store_n(&are_waiting, true, __ATOMIC_RELEASE);
    cushim__lock_release(&lock);
}

bool cushim__check_report_of_mock(const struct cushim__mock_finding *found, char *line, size_t size)
{
    const struct cushim__finding *own =
        found->found == CUSHIM__MOCK_FOUND_HANDLE && cushim__check_is_on()
            ? cushim__finding_of_call(cushim__caller.number)
            : NULL;
    struct cushim__finding finding = {
        .id = ids[found->found],
        .count = 1,
        .misuse = maker_of(&found->misuse),
        .earlier = maker_of(&found->earlier),
    };
    struct cushim__text text;

    if (own && !cushim__check_is_about_handles(own->id))
        own = NULL;
    snprintf(finding.what, sizeof finding.what, "%s", found->what);
    snprintf(finding.call, sizeof finding.call, "%s", found->misuse.name);
    if (!own && cushim__check_is_on())
        wait_for_call(&finding, found->memory);
    cushim__text_begin(&text, line, size);
    cushim__text_format(&text, "%s: ", cushim__check_rules[(own ? own : &finding)->id].id);
    cushim__finding_print(&text, own ? own : &finding, false);
    line[strcspn(line, "\n")] = '\0';
    return cushim__check_is_on() && cushim__check_options.print;
}

static struct waiting *take(void)
{
    struct waiting *taken;

    cushim__lock_take(&lock);
    taken = first;
    first = NULL;
    last = &first;
    __atomic_store_n(&are_waiting, false, __ATOMIC_RELAXED);
    cushim__lock_release(&lock);
    return taken;
}

void cushim__check_mock_ended(const struct cushim__call *call)
{
    struct waiting *one, *next;

    if (!__atomic_load_n(&are_waiting, __ATOMIC_ACQUIRE))
        return;
    for (one = take(); one; one = next) {
        struct cushim__finding *finding = &one->finding;
        const struct cushim__handle *memory = cushim__handle_at(one->memory);

        next = one->next;
        if (memory)
            cushim__finding_set_object(finding, memory);
        if (cushim__check_wants(finding->id))
            cushim__finding_keep(finding,
                                 call && finding->misuse.place.call == call->number ? call : NULL);
        free(one);
    }
}

void cushim__check_mock_destroy(void)
{
    struct waiting *one = take(), *next;

    for (; one; one = next) {
        next = one->next;
        free(one);
    }
}
