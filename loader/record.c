/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The record: the last attempt to load, kept for whoever asks.
 *
 * Written once per attempt and read by cushim_report_get(), both seldom and both brief, so a word
 * that names its holder guards it. In a child a holder of another process is gone for ever, and
 * its place is taken.
 */
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "loader/loader.h"
#include "loader/system.h"

static struct cushim_report record;
static _Atomic uint64_t holder;

/*
 * False if this thread holds it already: a signal handler has interrupted the copy. It may read and
 * write all the same, since every string in the record is closed by its last byte at any moment.
 */
static bool acquire(void)
{
    const uint64_t self = cushim__self();
    uint64_t seen = 0;

    for (unsigned turns = 0; !atomic_compare_exchange_strong(&holder, &seen, self); turns++) {
        if (seen == self)
            return false;
        if (seen == 0 || cushim__process_of(seen) != cushim__process_of(self))
            continue; /* try again, expecting what was seen */
        cushim__pause(turns);
        seen = 0;
    }
    return true;
}

/* Copy what an attempt has written; most of the rest is room for candidates that there were not. */
static void copy(struct cushim_report *to, const struct cushim_report *from)
{
    const bool acquired = acquire();

    memcpy(to, from,
           offsetof(struct cushim_report, candidates) +
               from->candidate_count * sizeof from->candidates[0]);
    memcpy(to->library, from->library, sizeof to->library);
    if (acquired)
        atomic_store(&holder, 0);
}

void cushim__record_put(const struct cushim_report *attempt)
{
    copy(&record, attempt);
}

void cushim__record_get(struct cushim_report *attempt)
{
    memset(attempt, 0, sizeof *attempt);
    copy(attempt, &record);
}
