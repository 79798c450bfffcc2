/* SPDX-License-Identifier: Apache-2.0 */
/*
 * First use. Concurrent threads each make an attempt of their own: dlopen() counts references, and
 * no lock is held while the dynamic linker, the driver or a resolver runs. The first attempt that
 * succeeds sets one pointer, and all threads use that.
 *
 * A thread that is loading has an entry in `loading`. A call from inside the attempt, e.g. from a
 * constructor of the library or a signal handler, finds the entry and does not load again.
 */
#include <string.h>

#include "loader/loader.h"
#include "loader/report.h"
#include "loader/symbols.h"
#include "loader/table_pages.h"
#include "src/base/options.h"
#include "src/base/system.h"

/*
 * One attempt at a time uses static memory, so that closing a plugin leaks nothing. A concurrent
 * attempt uses mapped pages, which stay mapped if it is the first to succeed.
 */
static struct cushim__loaded static_attempt;
static atomic_flag static_attempt_is_taken = ATOMIC_FLAG_INIT;

/* The first attempt that has succeeded, constant from then on. */
static struct cushim__loaded *_Atomic loaded;

/* Threads that may load at once. Further ones wait until an entry is free. */
enum { MOST_LOADING = 64 };

static _Atomic uintptr_t loading[MOST_LOADING];

const struct cushim__loaded *cushim__loaded_driver(void)
{
    return atomic_load(&loaded);
}

bool cushim__is_loading(void)
{
    for (unsigned i = 0; i < MOST_LOADING; i++) {
        if (atomic_load(&loading[i]))
            return true;
    }
    return false;
}

void cushim__forget_loading(void)
{
    for (unsigned i = 0; i < MOST_LOADING; i++)
        atomic_store(&loading[i], 0);
}

/* Whether no attempt is needed. With `again`, an earlier failure is retried. */
static bool is_settled(bool again)
{
    return cushim__is_forked() || atomic_load(&loaded) || (!again && !cushim__own_table());
}

/*
 * Enter this thread into `loading`. Returns its entry, or NULL if all entries are in use or, with
 * `*is_inside` set, if this thread has an entry already.
 */
static _Atomic uintptr_t *enter_load(uintptr_t thread, bool *is_inside)
{
    _Atomic uintptr_t *entry = NULL;

    *is_inside = false;
    for (unsigned i = 0; i < MOST_LOADING; i++) {
        uintptr_t none = 0;

        if (!entry && atomic_compare_exchange_strong(&loading[i], &none, thread))
            entry = &loading[i];
        else if (atomic_load(&loading[i]) == thread)
            *is_inside = true;
    }
    if (!entry || !*is_inside)
        return entry;
    atomic_store(entry, 0);
    return NULL;
}

/* Return whether a path leads to the file that the driver was loaded from. */
static bool is_loaded_from(const struct cushim_report *report, const char *library)
{
    const char *candidate = cushim__deciding_candidate(report)->path;

    if (!cushim__system_path_is_absolute(library))
        return false;
    return strcmp(library, report->library) == 0 || strcmp(library, candidate) == 0 ||
           cushim__system_path_is_same_file(library, report->library) ||
           (cushim__system_path_is_absolute(candidate) &&
            cushim__system_path_is_same_file(library, candidate));
}

/* Return what a caller with these options gets once the load is settled. */
static CUresult settled_code(const struct cushim_load_options *options)
{
    const struct cushim__loaded *driver = atomic_load(&loaded);

    if (!driver || cushim__is_forked())
        return cushim__load_error();
    /* The thread that has loaded it may not have published it yet. */
    cushim__publish_driver(driver->table);
    if (options->resolver &&
        (options->resolver != driver->resolver || options->resolver_data != driver->resolver_data))
        return CUDA_ERROR_NOT_PERMITTED;
    if (options->library && !is_loaded_from(&driver->report, options->library))
        return CUDA_ERROR_NOT_PERMITTED;
    return driver->report.driver_version < options->minimum_version ? CUSHIM__REQUIRES_NEWER_DRIVER
                                                                    : CUDA_SUCCESS;
}

/* Get memory for an attempt. Returns NULL if there is none. */
static struct cushim__loaded *begin_attempt(void)
{
    struct cushim__loaded *attempt = &static_attempt;

    if (!atomic_flag_test_and_set(&static_attempt_is_taken)) {
        attempt->table = cushim__pages(CUSHIM__PAGES_DRIVER);
        return attempt;
    }
    attempt = cushim__system_map_pages(sizeof *attempt);
    if (attempt)
        attempt->table = cushim__system_map_pages(sizeof *attempt->table);
    if (attempt && !attempt->table) {
        cushim__system_unmap_pages(attempt, sizeof *attempt);
        attempt = NULL;
    }
    return attempt;
}

/* Release an attempt that is not used. */
static void discard_attempt(struct cushim__loaded *attempt)
{
    if (attempt == &static_attempt) {
        attempt->report.candidate_count = 0;
        /* Once a driver is loaded, this attempt's table may be read-only, so it is not reused. */
        if (!atomic_load(&loaded))
            atomic_flag_clear(&static_attempt_is_taken);
        return;
    }
    cushim__system_unmap_pages(attempt->table, sizeof *attempt->table);
    cushim__system_unmap_pages(attempt, sizeof *attempt);
}

static CUresult CUDAAPI error_name_slot(CUresult code, const char **name)
{
    return cushim__ask_driver(cushim__loaded_driver()->error_name, cushim__get_error_name, code,
                              name);
}

static CUresult CUDAAPI error_string_slot(CUresult code, const char **text)
{
    return cushim__ask_driver(cushim__loaded_driver()->error_string, cushim__get_error_string, code,
                              text);
}

/* Find a driver and fill a table from it. Writes only to the attempt. */
static CUresult make_attempt(const struct cushim_load_options *options,
                             struct cushim__loaded *attempt)
{
    struct cushim__source source = {0};
    const CUresult code = cushim__find_driver(options, &attempt->report, &source);

    if (code != CUDA_SUCCESS)
        return code;
    attempt->table->size = sizeof *attempt->table;
    cushim__fill(attempt->table, &source, &attempt->report.symbols, attempt->states);
    attempt->init = source.init;
    attempt->error_name = attempt->table->GetErrorName;
    attempt->error_string = attempt->table->GetErrorString;
    attempt->table->Init = cushim__init_slot;
    attempt->table->GetErrorName = error_name_slot;
    attempt->table->GetErrorString = error_string_slot;
    attempt->resolver = options->resolver;
    attempt->resolver_data = options->resolver_data;
    return CUDA_SUCCESS;
}

static CUresult attempt_load(const struct cushim_load_options *options)
{
    struct cushim__loaded *attempt = begin_attempt(), *first = NULL;
    CUresult code;

    if (!attempt)
        return CUDA_ERROR_OUT_OF_MEMORY;
    code = make_attempt(options, attempt);
    /* If the attempt has forked, for instance in a constructor, this may be the child. */
    if (code == CUDA_SUCCESS && !cushim__is_forked()) {
        cushim__seal(CUSHIM__PAGES_DRIVER, attempt->table);
        if (atomic_compare_exchange_strong(&loaded, &first, attempt))
            return settled_code(options);
    }
    if (cushim__is_forked()) {
        code = cushim__load_error();
    } else if (code != CUDA_SUCCESS && !atomic_load(&loaded)) {
        cushim__keep_failed_report(&attempt->report);
        cushim__publish_absent(code);
    } else {
        const CUresult settled = settled_code(options);

        /* Another thread has loaded the requested driver, or another one. */
        if (code == CUDA_SUCCESS || settled == CUDA_SUCCESS)
            code = settled;
    }
    discard_attempt(attempt);
    return code;
}

static CUresult load(const struct cushim_load_options *options, bool again)
{
    const uintptr_t thread = cushim__system_thread_token();
    _Atomic uintptr_t *entry = NULL;
    CUresult code;
    int cancellation;

    for (unsigned times = 0; !entry; times++) {
        bool is_inside;

        if (is_settled(again))
            return settled_code(options);
        cushim__handle_forks();
        entry = enter_load(thread, &is_inside);
        if (is_inside)
            return CUDA_ERROR_NOT_INITIALIZED;
        if (!entry)
            cushim__system_yield(times);
    }
    /* A thread that is cancelled inside would leak its entry and its memory. */
    cancellation = cushim__system_disable_cancellation();
    /* The thread that had this entry before may have settled the load. */
    code = is_settled(again) ? settled_code(options) : attempt_load(options);
    cushim__system_restore_cancellation(cancellation);
    atomic_store(entry, 0);
    return code;
}

const struct cushim_table *cushim__load_lazily(void)
{
    const struct cushim_load_options defaults = {.size = sizeof defaults};

    /* A layer may still call the lazy-load table after the load. */
    load(&defaults, false);
    return atomic_load(&loaded) && !cushim__is_forked() ? atomic_load(&loaded)->table : NULL;
}

#if CUSHIM__THUNKS
CUSHIM__CALLED_BY_THUNKS cushim_function cushim__lazy_target(unsigned symbol)
{
    const struct cushim_table *driver = cushim__load_lazily();
    cushim_function function;

    if (!driver)
        return cushim__without_driver(symbol, (cushim_function)cushim__return_load_error);
    memcpy(&function, cushim__table_slot(driver, symbol), sizeof function);
    return function;
}
#endif

/* Return whether the options accept the installed table, with the codes of a load. */
static CUresult installed_code(const struct cushim_load_options *options)
{
    int version = 0;
    CUresult code;

    if (options->minimum_version <= 0)
        return CUDA_SUCCESS;
    code = cushim_driver()->DriverGetVersion(&version);
    if (code == CUDA_SUCCESS && version <= 0)
        return CUDA_ERROR_UNKNOWN;
    if (code == CUDA_SUCCESS && version < options->minimum_version)
        return CUSHIM__REQUIRES_NEWER_DRIVER;
    return code;
}

CUresult cushim_driver_load(const struct cushim_load_options *given)
{
    struct cushim_load_options options = {.size = sizeof options};

    if (!cushim__options_read(&options, sizeof options, given) ||
        (options.library && options.resolver))
        return CUDA_ERROR_INVALID_VALUE;
    if (!options.library && !options.resolver && cushim__is_installed())
        return installed_code(&options);
    return load(&options, true);
}
