/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The turn: loading as a state machine in one word.
 *
 *   untried -> loading -> committing -> loaded     for good
 *                                    -> failed     until an explicit call tries again
 *              loading -> untried                   no memory for an attempt
 *   loaded, loading    -> forked                   in a child; for good
 *
 * While a load is under way the word holds the process and thread that load. So a thread that comes
 * second knows that it should wait, a re-entrant call knows that it must not, and the child of a
 * process that forked in the middle knows that nobody will ever finish.
 *
 * Nobody waits for ever. The loading thread may be waiting for the dynamic linker's lock while the
 * lock's holder - a constructor - waits for the load; or it may have ended. So whoever has
 * waited long takes the turn over and loads by itself, and of two that load the one commits that is
 * done first. Nobody takes over from a commit, and so no thread may be cancelled in one.
 *
 * After a failure the word holds a hash of what was asked for. So a thread that waited shares the
 * failure of what it would have tried itself, and tries if it was something else.
 */
#ifndef CUSHIM_LOADER_TURN_H
#define CUSHIM_LOADER_TURN_H

#include <stdbool.h>
#include <stdint.h>

enum cushim__turn {
    CUSHIM__TURN_OURS,      /* load, then commit */
    CUSHIM__TURN_DONE,      /* there is an outcome */
    CUSHIM__TURN_REENTERED, /* this thread is loading already */
};

/*
 * Wait for whoever is loading, or become the one who does. A failure that was there before is tried
 * again if `again`; `request` tells what would be asked for.
 */
enum cushim__turn cushim__turn_take(uint32_t request, bool again);

/* Before the outcome is written: false if another one was done first, and this is nobody's. */
bool cushim__turn_commit(void);

/* After it is written. */
void cushim__turn_end_loaded(void);
void cushim__turn_end_failed(uint32_t request);

/* In the place of both: no attempt could be made. */
void cushim__turn_give_up(void);

bool cushim__turn_is_loaded(void);

#endif
