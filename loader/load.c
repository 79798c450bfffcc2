/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loading as a state machine in one word.
 *
 *   untried -> loading -> loaded          for good
 *                      -> failed          until an explicit call tries again
 *   loaded, loading    -> forked          in a child; for good
 *
 * While a load is under way the word holds the process and thread that load. So a thread that
 * comes second knows that it must wait, a re-entrant call knows that it must not, and the child of
 * a process that forked in the middle knows that nobody will ever finish.
 */
#include <stdatomic.h>
#include <string.h>

#include "loader/loader.h"
#include "loader/options.h"
#include "loader/system.h"
#include "loader/tables.h"

/* Values of the word below those of cushim__self(). */
enum { UNTRIED, LOADED, FAILED, FORKED };

static _Atomic uint64_t phase = UNTRIED;

/* What is loaded: written by the loading thread before the phase says LOADED. */
static int loaded_version;
static cushim_resolver loaded_resolver;
static void *loaded_data;
static char loaded_library[CUSHIM_REPORT_PATH_BYTES];

static atomic_int init_code = -1;
static atomic_long init_process;
static atomic_bool initialised_at_fork;

/* Keep the loader out of a child that must not use CUDA any more. */
static void before_fork(void)
{
    int devices = 0;
    const struct cushim_table *table = cushim__own_table();
    const bool initialised = atomic_load(&phase) == LOADED &&
                             table->DeviceGetCount(&devices) != CUDA_ERROR_NOT_INITIALIZED;
    atomic_store(&initialised_at_fork, initialised);
}

static void in_child(void)
{
    if (!atomic_load(&initialised_at_fork))
        return;
    atomic_store(&phase, FORKED);
    cushim__withdraw(CUDA_ERROR_NOT_INITIALIZED);
}

/* The table of the loaded driver stands on pages of its own, which are then made read-only. */
static void publish_driver(const struct cushim__source *source, struct cushim_report *attempt)
{
    struct cushim_table *table = cushim__pages(sizeof *table);

    table->size = sizeof *table;
    cushim__fill(table, source, &attempt->symbols, cushim__symbol_states());
    cushim__pages_seal(table, sizeof *table);
    cushim__watch_fork(before_fork, in_child);

    loaded_version = attempt->driver_version;
    memcpy(loaded_library, attempt->library, sizeof loaded_library);
    cushim__record_put(attempt);
    cushim__publish(table);
}

enum turn { OURS, DONE, REENTERED };

/* Wait for whoever is loading, or become the one who does. */
static enum turn take_turn(bool again)
{
    const uint64_t self = cushim__self();

    for (unsigned turns = 0;; turns++) {
        uint64_t now = atomic_load(&phase);
        if (now == UNTRIED || (now == FAILED && again && turns == 0)) {
            if (atomic_compare_exchange_strong(&phase, &now, self))
                return OURS;
        } else if (now <= FORKED) {
            return DONE;
        } else if (now == self) {
            return REENTERED;
        } else if (cushim__process_of(now) != cushim__process_of(self)) {
            if (atomic_compare_exchange_strong(&phase, &now, FORKED))
                cushim__withdraw(CUDA_ERROR_NOT_INITIALIZED);
        } else {
            cushim__pause(turns);
        }
    }
}

/* What a finished load means for a caller with these wishes. */
static CUresult outcome(const struct cushim_load_options *options)
{
    if (atomic_load(&phase) != LOADED)
        return cushim__absent();
    if (options->resolver &&
        (options->resolver != loaded_resolver || options->resolver_data != loaded_data))
        return CUDA_ERROR_NOT_PERMITTED;
    if (options->library && !cushim__path_is_same_file(options->library, loaded_library))
        return CUDA_ERROR_NOT_PERMITTED;
    if (loaded_version < options->minimum_version)
        return CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER;
    return CUDA_SUCCESS;
}

static CUresult load(const struct cushim_load_options *options, bool again)
{
    /* Whoever holds the turn is alone with it; on a thread's stack it would be large. */
    static struct cushim_report attempt;
    struct cushim__source source = {0};
    CUresult code;

    switch (take_turn(again)) {
    case REENTERED:
        return CUDA_ERROR_NOT_INITIALIZED;
    case DONE:
        return outcome(options);
    case OURS:
        break;
    }
    memset(&attempt, 0, sizeof attempt);
    code = cushim__find_driver(options, &attempt, &source);
    if (code == CUDA_SUCCESS) {
        loaded_resolver = options->resolver;
        loaded_data = options->resolver_data;
        publish_driver(&source, &attempt);
        atomic_store(&phase, LOADED);
    } else {
        cushim__record_put(&attempt);
        cushim__publish_absent(code);
        atomic_store(&phase, FAILED);
    }
    return code;
}

const struct cushim_table *cushim__first_use(void)
{
    const struct cushim_load_options defaults = {.size = sizeof defaults};
    const struct cushim_table *table;

    load(&defaults, false);
    table = cushim__own_table();
    return table == &cushim__boot_table ? &cushim__absent_table : table;
}

bool cushim__is_forked(void)
{
    return atomic_load(&phase) == FORKED;
}

int cushim__init_outcome(long *process)
{
    *process = atomic_load(&init_process);
    return atomic_load(&init_code);
}

CUresult cushim_load(const struct cushim_load_options *given)
{
    struct cushim_load_options options = {.size = sizeof options};

    if (!cushim__options_read(&options, sizeof options, given) ||
        (options.library && options.resolver))
        return CUDA_ERROR_INVALID_VALUE;
    if (!options.library && !options.resolver && cushim__is_installed())
        return CUDA_SUCCESS;
    return load(&options, true);
}

CUresult cushim_init(const struct cushim_load_options *options)
{
    CUresult code = cushim_load(options);

    if (code != CUDA_SUCCESS)
        return code;
    code = cushim_driver()->Init(0);
    atomic_store(&init_process,
                 code == CUDA_SUCCESS ? (long)cushim__process_of(cushim__self()) : 0);
    atomic_store(&init_code, (int)code);
    return code;
}
