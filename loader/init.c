/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Initialising, and its effect on forked children.
 *
 * An initialised driver does not work in a forked child: some calls succeed there and others fail.
 * So the child gets the absent table. Before a fork, cuDeviceGetCount shows whether any code of the
 * process has initialised the driver. It is not called while a thread is inside cuInit, which may
 * hold the driver's lock; therefore the slot of cuInit counts its callers.
 */
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "loader/loader.h"
#include "loader/report.h"
#include "loader/symbols.h"
#include "src/base/options.h"
#include "src/base/system.h"

/* The last result of cuInit, which may be any 32-bit number, or NOT_CALLED. */
#define NOT_CALLED INT64_MAX
static _Atomic int64_t init_result = NOT_CALLED;

/* The process in which cuInit succeeded, or 0. */
static _Atomic uint32_t init_process;

/* Threads that are inside cuInit, or have not yet recorded its result. */
static atomic_uint initialising;

static atomic_bool was_initialised_at_fork;
static atomic_bool forked;
atomic_uint cushim__forks;

CUresult CUDAAPI cushim__init_slot(unsigned flags)
{
    CUresult(CUDAAPI * init)(unsigned) =
        (CUresult(CUDAAPI *)(unsigned))cushim__loaded_driver()->init;
    /* A thread that is cancelled in cuInit would be counted forever. */
    const int cancellation = cushim__system_disable_cancellation();
    CUresult code;

    atomic_fetch_add(&initialising, 1);
    code = init(flags);
    if (code == CUDA_SUCCESS)
        atomic_store(&init_process, cushim__system_process_id());
    /* A later call that fails, for instance because of other flags, does not undo a success. */
    if (code == CUDA_SUCCESS || atomic_load(&init_process) == 0)
        atomic_store(&init_result, (int)code);
    /* This comes last, so that a forked child sees either the count or the process. */
    atomic_fetch_sub(&initialising, 1);
    cushim__system_restore_cancellation(cancellation);
    return code;
}

bool cushim__init_outcome(CUresult *code, long *process)
{
    const int64_t result = atomic_load(&init_result);

    *process = (long)atomic_load(&init_process);
    *code = result == NOT_CALLED ? CUDA_SUCCESS : (CUresult)(int)result;
    return result != NOT_CALLED;
}

static bool has_begun_to_initialise(void)
{
    return atomic_load(&initialising) != 0 || atomic_load(&init_process) != 0;
}

static bool driver_is_initialised(void)
{
    const struct cushim__loaded *driver = cushim__loaded_driver();
    int devices = 0;

    return driver && driver->states[CUSHIM__SLOT(DeviceGetCount)] != CUSHIM_SYMBOL_MISSING &&
           driver->table->DeviceGetCount(&devices) != CUDA_ERROR_NOT_INITIALIZED;
}

static void before_fork(void)
{
    if (!cushim__is_forked() && !atomic_load(&was_initialised_at_fork) &&
        (atomic_load(&init_process) != 0 ||
         (atomic_load(&initialising) == 0 && driver_is_initialised())))
        atomic_store(&was_initialised_at_fork, true);
}

/* Disable a driver that the parent had initialised, or was initialising or loading. */
static void in_child(void)
{
    atomic_fetch_add(&cushim__forks, 1);
    if (!cushim__is_forked() && (atomic_load(&was_initialised_at_fork) ||
                                 has_begun_to_initialise() || cushim__is_loading())) {
        atomic_store(&forked, true);
        cushim__disable_after_fork(CUDA_ERROR_NOT_INITIALIZED);
    }
    cushim__forget_loading();
    cushim__report_after_fork();
    cushim__log_after_fork();
    /* The child may have another CUDA_VISIBLE_DEVICES, so the parent's result does not count. */
    atomic_store(&init_result, NOT_CALLED);
}

void cushim__handle_forks(void)
{
    cushim__system_handle_forks(CUSHIM__FORK_LOADER, before_fork, NULL, in_child);
}

bool cushim__is_forked(void)
{
    return atomic_load(&forked);
}

/*
 * Return whether cuInit has found no device. In that case it is not called again, since some
 * drivers leak descriptors.
 */
static bool has_no_device(const struct cushim_load_options *given)
{
    struct cushim_load_options options = {.size = sizeof options};

    return atomic_load(&init_result) == CUDA_ERROR_NO_DEVICE && !cushim__is_installed() &&
           cushim__options_read(&options, sizeof options, given) && !options.retry_init;
}

CUresult cushim_driver_init(const struct cushim_load_options *options)
{
    const CUresult code = cushim_driver_load(options);

    if (code != CUDA_SUCCESS)
        return code;
    if (has_no_device(options))
        return CUDA_ERROR_NO_DEVICE;
    return cushim_driver()->Init(0);
}
