/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loading: an attempt in memory of its own, then a short commit. While an attempt calls out - into
 * the dynamic linker, the driver, a resolver - nothing is held that another thread cannot take
 * over from this one.
 */
#include <string.h>

#include "loader/candidate.h"
#include "loader/codes.h"
#include "loader/loader.h"
#include "loader/options.h"
#include "loader/symbols.h"
#include "loader/system.h"
#include "loader/tables.h"
#include "loader/turn.h"

/*
 * Everything that an attempt finds out. Too large for a small thread's stack. Its last part is
 * mostly room that is not used, so that what is lies on few pages.
 */
struct attempt {
    struct cushim_table table;
    unsigned char states[CUSHIM__SYMBOL_COUNT];
    struct cushim_report report;
};

/* What is loaded: written by the loading thread before the turn says so. */
static int loaded_version;
static cushim_resolver loaded_resolver;
static void *loaded_data;
static char loaded_library[CUSHIM_REPORT_PATH_BYTES];
static char loaded_candidate[CUSHIM_REPORT_PATH_BYTES];

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

/* What is asked for, as one number. */
static uint32_t request_of(const struct cushim_load_options *options)
{
    uint32_t value = HASH_START;

    value = hash(value, &options->minimum_version, sizeof options->minimum_version);
    value = hash(value, &options->resolver, sizeof options->resolver);
    value = hash(value, &options->resolver_data, sizeof options->resolver_data);
    if (options->library)
        value = hash(value, options->library, strlen(options->library));
    return value;
}

/* The file that was asked for may only lead to the one that the driver lives in. */
static bool is_loaded(const char *library)
{
    return strcmp(library, loaded_library) == 0 || strcmp(library, loaded_candidate) == 0 ||
           cushim__path_is_same_file(library, loaded_library) ||
           (cushim__path_is_absolute(loaded_candidate) &&
            cushim__path_is_same_file(library, loaded_candidate));
}

/* What a finished load means for a caller with these wishes. */
static CUresult outcome(const struct cushim_load_options *options)
{
    if (!cushim__turn_is_loaded())
        return cushim__refuse();
    if (options->resolver &&
        (options->resolver != loaded_resolver || options->resolver_data != loaded_data))
        return CUDA_ERROR_NOT_PERMITTED;
    if (options->library && !is_loaded(options->library))
        return CUDA_ERROR_NOT_PERMITTED;
    if (loaded_version < options->minimum_version)
        return CUSHIM__REQUIRES_NEWER_DRIVER;
    return CUDA_SUCCESS;
}

/* The table of the loaded driver stands on pages of its own, which are then made read-only. */
static void publish_driver(const struct cushim_load_options *options, const struct attempt *attempt)
{
    struct cushim_table *table = cushim__pages(CUSHIM__PAGES_DRIVER);

    memcpy(table, &attempt->table, sizeof *table);
    cushim__seal(CUSHIM__PAGES_DRIVER);
    memcpy(cushim__symbol_states(), attempt->states, sizeof attempt->states);
    loaded_version = attempt->report.driver_version;
    loaded_resolver = options->resolver;
    loaded_data = options->resolver_data;
    memcpy(loaded_library, attempt->report.library, sizeof loaded_library);
    memcpy(loaded_candidate, cushim__deciding_candidate(&attempt->report)->path,
           sizeof loaded_candidate);
    cushim__record_put(&attempt->report);
    cushim__publish(table);
}

/* Find a driver and fill a table from it; nothing but the attempt is written. */
static CUresult try(const struct cushim_load_options *options, struct attempt *attempt)
{
    struct cushim__source source = {0};
    const CUresult code = cushim__find_driver(options, &attempt->report, &source);

    if (code != CUDA_SUCCESS)
        return code;
    attempt->table.size = sizeof attempt->table;
    cushim__fill(&attempt->table, &source, &attempt->report.symbols, attempt->states);
    return CUDA_SUCCESS;
}

/* Make the attempt's outcome that of the process. False: another one was done first. */
static bool commit(const struct cushim_load_options *options, const struct attempt *attempt,
                   CUresult code)
{
    if (!cushim__turn_commit())
        return false;
    if (code == CUDA_SUCCESS) {
        publish_driver(options, attempt);
        cushim__turn_end_loaded();
    } else {
        cushim__record_put(&attempt->report);
        cushim__publish_absent(code);
        cushim__turn_end_failed(request_of(options));
    }
    return true;
}

/* One attempt. False: it made no outcome, so look again. */
static bool attempt_once(const struct cushim_load_options *options, CUresult *code)
{
    struct attempt *attempt = cushim__memory_take(sizeof *attempt);
    bool committed;

    if (!attempt) {
        cushim__turn_give_up();
        *code = CUDA_ERROR_OUT_OF_MEMORY;
        return true;
    }
    *code = try(options, attempt);
    committed = commit(options, attempt, *code);
    cushim__memory_give_back(attempt, sizeof *attempt);
    return committed;
}

static CUresult load(const struct cushim_load_options *options, bool again)
{
    for (;;) {
        CUresult code;
        bool done;
        int cancelling;

        switch (cushim__turn_take(request_of(options), again)) {
        case CUSHIM__TURN_REENTERED:
            return CUDA_ERROR_NOT_INITIALIZED;
        case CUSHIM__TURN_DONE:
            return outcome(options);
        case CUSHIM__TURN_OURS:
            break;
        }
        /* Others wait for this thread, and there are files open at times. */
        cancelling = cushim__cancelling_put_off();
        done = attempt_once(options, &code);
        cushim__cancelling_put_back(cancelling);
        if (done)
            return code;
    }
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
    return table == &cushim__boot_table ? NULL : table;
}

#if CUSHIM__THUNKS
CUSHIM__CALLED_BY_THUNKS cushim_function cushim__boot_target(unsigned symbol)
{
    const struct cushim_table *driver = cushim__first_use();
    cushim_function function = (cushim_function)cushim__refuse;

    if (driver)
        memcpy(&function, (const char *)driver + sizeof(size_t) + symbol * sizeof function,
               sizeof function);
    return function;
}
#endif

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
