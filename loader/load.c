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
 *
 * After a failure it holds a hash of what was asked for. So a thread that waited shares the failure
 * of what it would have tried itself, and tries if it was something else.
 */
#include <stdatomic.h>
#include <string.h>

#include "loader/candidate.h"
#include "loader/loader.h"
#include "loader/options.h"
#include "loader/system.h"
#include "loader/tables.h"

/* Values of the word; the failures end where those of cushim__self() begin. */
enum { UNTRIED, LOADED, FORKED, FAILED };

static bool is_failed(uint64_t value)
{
    return value >= FAILED && value <= UINT32_MAX;
}

static bool is_loading(uint64_t value)
{
    return value > UINT32_MAX;
}

static _Atomic uint64_t phase = UNTRIED;

/* What is loaded: written by the loading thread before the phase says LOADED. */
static int loaded_version;
static cushim_resolver loaded_resolver;
static void *loaded_data;
static char loaded_library[CUSHIM_REPORT_PATH_BYTES];
static char loaded_candidate[CUSHIM_REPORT_PATH_BYTES];

static atomic_int init_code = -1;
static atomic_long init_process;
static atomic_bool initialised_at_fork;

static bool has_driver(void)
{
    const struct cushim_table *table = cushim__own_table();
    return table != &cushim__boot_table && table != &cushim__absent_table;
}

/* Whether the driver is initialised, by whomever: it is asked, unless it lacks the call. */
static bool is_initialised(void)
{
    const struct cushim_table *table = cushim__own_table();
    int devices = 0;

    if (!has_driver())
        return false;
    if (table->DeviceGetCount == cushim__missing_table.DeviceGetCount)
        return atomic_load(&init_process) != 0;
    return table->DeviceGetCount(&devices) != CUDA_ERROR_NOT_INITIALIZED;
}

static void before_fork(void)
{
    atomic_store(&initialised_at_fork, is_initialised());
}

/* Keep the loader out of a child that must not use CUDA any more. */
static void in_child(void)
{
    if (atomic_load(&initialised_at_fork)) {
        cushim__withdraw(CUDA_ERROR_NOT_INITIALIZED);
        atomic_store(&phase, FORKED);
    } else if (has_driver()) {
        /* Also if the loading thread, which is not here, had no time left to say so. */
        atomic_store(&phase, LOADED);
    }
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
    memcpy(loaded_candidate, cushim__deciding_candidate(attempt)->path, sizeof loaded_candidate);
    cushim__record_put(attempt);
    cushim__publish(table);
}

/* FNV-1a, with its own numbers. */
#define HASH_START UINT32_C(2166136261)
#define HASH_FACTOR UINT32_C(16777619)

static uint32_t hash(uint32_t before, const void *bytes, size_t count)
{
    const unsigned char *next = bytes;

    for (size_t i = 0; i < count; i++)
        before = (before ^ next[i]) * HASH_FACTOR;
    return before;
}

/* Value of the word after these options have failed. */
static uint64_t failure_of(const struct cushim_load_options *options)
{
    uint32_t value = HASH_START;

    value = hash(value, &options->minimum_version, sizeof options->minimum_version);
    value = hash(value, &options->resolver, sizeof options->resolver);
    value = hash(value, &options->resolver_data, sizeof options->resolver_data);
    if (options->library)
        value = hash(value, options->library, strlen(options->library));
    return value > FAILED ? value : FAILED;
}

enum turn { OURS, DONE, REENTERED };

/* Wait for whoever is loading, or become the one who does. */
static enum turn take_turn(const struct cushim_load_options *options, bool again)
{
    const uint64_t self = cushim__self();
    const uint64_t failure = failure_of(options);

    for (unsigned turns = 0;; turns++) {
        uint64_t now = atomic_load(&phase);
        const bool retry = is_failed(now) && again && (turns == 0 || now != failure);
        if (now == UNTRIED || retry) {
            if (atomic_compare_exchange_strong(&phase, &now, self))
                return OURS;
        } else if (!is_loading(now)) {
            return DONE;
        } else if (now == self) {
            return REENTERED;
        } else if (cushim__process_of(now) != cushim__process_of(self)) {
            cushim__withdraw(CUDA_ERROR_NOT_INITIALIZED);
            atomic_compare_exchange_strong(&phase, &now, FORKED);
        } else {
            cushim__pause(turns);
        }
    }
}

/* The file that was asked for may only lead to the one that the driver lives in. */
static bool is_loaded(const char *library)
{
    return cushim__path_is_same_file(library, loaded_library) ||
           (cushim__path_is_absolute(loaded_candidate) &&
            cushim__path_is_same_file(library, loaded_candidate));
}

/* What a finished load means for a caller with these wishes. */
static CUresult outcome(const struct cushim_load_options *options)
{
    if (atomic_load(&phase) != LOADED)
        return cushim__absent();
    if (options->resolver &&
        (options->resolver != loaded_resolver || options->resolver_data != loaded_data))
        return CUDA_ERROR_NOT_PERMITTED;
    if (options->library && !is_loaded(options->library))
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

    switch (take_turn(options, again)) {
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
        atomic_store(&phase, failure_of(options));
    }
    return code;
}

const struct cushim_table *cushim__first_use(void)
{
    const struct cushim_load_options defaults = {.size = sizeof defaults};
    const struct cushim_table *table = cushim__own_table();

    /* A layer may hold the boot table long after the load. */
    if (table == &cushim__boot_table) {
        load(&defaults, false);
        table = cushim__own_table();
    }
    return table == &cushim__boot_table ? &cushim__absent_table : table;
}

bool cushim__is_forked(void)
{
    const uint64_t now = atomic_load(&phase);
    return now == FORKED ||
           (is_loading(now) && cushim__process_of(now) != cushim__process_of(cushim__self()));
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
    /* An installed table may be a layer over the driver, or have nothing to do with it. */
    if (cushim__is_installed() && !is_initialised())
        return code;
    atomic_store(&init_process,
                 code == CUDA_SUCCESS ? (long)cushim__process_of(cushim__self()) : 0);
    atomic_store(&init_code, (int)code);
    return code;
}
