/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/turn.h"

#include <errno.h>
#include <stdatomic.h>

#include "loader/loader.h"
#include "loader/system.h"
#include "loader/tables.h"

/* Values of the word; the failures end where those of cushim__self() begin. */
enum { UNTRIED, LOADED, FORKED, FAILED };

/* Set beside the holder while it writes the outcome; then the turn is not taken over. */
#define COMMITTING (UINT64_C(1) << 63)

/* Pauses until the turn is taken over: about a second. A load takes milliseconds. */
enum { PATIENCE = 1000 };

static _Atomic uint64_t turn_word = UNTRIED;

/* What the parent found out before a fork, for its child. */
static atomic_bool initialised_at_fork;

/* The mark of the thread that forked while it loaded; of forks at once, the last. */
static _Atomic uint64_t loader_at_fork;

static bool is_failed(uint64_t value)
{
    return value >= FAILED && value <= UINT32_MAX;
}

static bool is_loading(uint64_t value)
{
    return value > UINT32_MAX;
}

/* What the word holds after a failure. */
static uint64_t failure_of(uint32_t request)
{
    return request > FAILED ? request : FAILED;
}

static uint64_t holder_of(uint64_t value)
{
    return value & ~COMMITTING;
}

/*
 * A load of a process that this one was forked from: nobody here will finish it. A child of vfork() has
 * a number of its own and the memory of its parent, where the load goes on.
 */
static bool is_orphaned(uint64_t value)
{
    const uint32_t process = cushim__process_of(holder_of(value));

    return is_loading(value) && process != cushim__process_of(cushim__self()) &&
           !cushim__shares_memory(process);
}

static bool has_driver(void)
{
    const struct cushim_table *own = cushim__own_table();
    return own && own != &cushim__boot_table;
}

static void forbid(void)
{
    cushim__withdraw(CUDA_ERROR_NOT_INITIALIZED);
    atomic_store(&turn_word, FORKED);
}

/*
 * A thread together with what the word held. It keeps the place of its errno across a fork, while
 * the system's number of it is another one then.
 */
static uint64_t mark_of(uint64_t word)
{
    return word ^ (uint64_t)(uintptr_t)&errno * UINT64_C(0x9e3779b97f4a7c15);
}

static void before_fork(void)
{
    const uint64_t word = atomic_load(&turn_word);
    uint64_t mark = mark_of(word);

    /* Not asked twice: the driver itself may be the one that forks, from within cuInit. */
    if (!atomic_load(&initialised_at_fork) && cushim__is_initialised())
        atomic_store(&initialised_at_fork, true);
    if (is_loading(word) && holder_of(word) == cushim__self())
        atomic_store(&loader_at_fork, mark);
    else
        atomic_compare_exchange_strong(&loader_at_fork, &mark, 0);
}

/* Whether the thread that has forked is the one that loads. */
static bool was_loader(uint64_t word)
{
    return is_loading(word) && atomic_load(&loader_at_fork) == mark_of(word);
}

/* What is left to do where the loading thread, which is not here, had no time to do it. */
static void finish_load(void)
{
    cushim__publish(cushim__own_table());
    atomic_store(&turn_word, LOADED);
}

/* Keep the loader out of a child that must not use CUDA any more. */
static void in_child(void)
{
    const uint64_t word = atomic_load(&turn_word);

    /* Another thread may have begun since before_fork(), or be in the middle of it. */
    if (atomic_load(&initialised_at_fork) || (has_driver() && cushim__has_begun_to_initialise()))
        forbid();
    else if (was_loader(word))
        /* The load itself forks, as in a constructor: it goes on in both. */
        atomic_store(&turn_word, cushim__self() | (word & COMMITTING));
    else if (has_driver())
        finish_load();
    else if (is_loading(word))
        forbid();
}

enum cushim__turn cushim__turn_take(uint32_t request, bool again)
{
    const uint64_t self = cushim__self();
    const uint64_t failure = failure_of(request);

    for (unsigned turns = 0;; turns++) {
        uint64_t now = atomic_load(&turn_word);
        const bool retry = is_failed(now) && again && (turns == 0 || now != failure);
        const bool overdue = is_loading(now) && now == holder_of(now) && turns > PATIENCE;

        if (is_loading(now) && holder_of(now) == self)
            return CUSHIM__TURN_REENTERED;
        if (is_orphaned(now)) {
            forbid();
        } else if (now == UNTRIED || retry || overdue) {
            if (atomic_compare_exchange_strong(&turn_word, &now, self)) {
                cushim__watch_fork(before_fork, in_child);
                return CUSHIM__TURN_OURS;
            }
        } else if (is_loading(now)) {
            cushim__pause(turns);
        } else {
            return CUSHIM__TURN_DONE;
        }
    }
}

bool cushim__turn_commit(void)
{
    const uint64_t self = cushim__self();
    uint64_t now = atomic_load(&turn_word);

    /*
     * Whoever holds the turn: who is done first commits, or slow loads could take it from one
     * another for ever.
     */
    while (is_loading(now) && now == holder_of(now) && !is_orphaned(now)) {
        if (atomic_compare_exchange_strong(&turn_word, &now, self | COMMITTING))
            return true;
    }
    return false;
}

/*
 * After a commit. A signal handler may have forked in the middle of it, and the child be one that
 * must not use the driver: what was published since is withdrawn.
 */
static void leave_commit(uint64_t value)
{
    uint64_t mine = cushim__self() | COMMITTING;

    if (!atomic_compare_exchange_strong(&turn_word, &mine, value))
        forbid();
}

void cushim__turn_end_loaded(void)
{
    leave_commit(LOADED);
}

void cushim__turn_end_failed(uint32_t request)
{
    leave_commit(failure_of(request));
}

void cushim__turn_give_up(void)
{
    uint64_t self = cushim__self();

    atomic_compare_exchange_strong(&turn_word, &self, UNTRIED);
}

bool cushim__turn_is_loaded(void)
{
    return atomic_load(&turn_word) == LOADED;
}

bool cushim__is_forked(void)
{
    const uint64_t now = atomic_load(&turn_word);
    return now == FORKED || is_orphaned(now);
}
