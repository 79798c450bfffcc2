/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Initialising, which is not loading, and what it means for a fork.
 *
 * A driver that is initialised does not work in a forked child: it answers some calls there with
 * success and others with errors. So the child gets the absent table. Before a fork the driver
 * itself is asked (cuDeviceGetCount) whether it is initialised, whoever did that. It is not asked
 * while a thread is inside cuInit, which may hold the driver's lock; therefore the slot of cuInit
 * counts its callers.
 */
#include <stdatomic.h>
#include <stdint.h>

#include "loader/loader.h"
#include "loader/options.h"
#include "loader/report.h"
#include "loader/symbols.h"
#include "loader/system.h"

/* What cuInit answered last: any number of 32 bits, or the one that is none. */
#define NOT_CALLED INT64_MAX
static _Atomic int64_t init_answer = NOT_CALLED;

/* The process in which it succeeded; 0: none. */
static _Atomic uint32_t init_process;

/* Threads that are inside cuInit, and have not yet noted what it answered. */
static atomic_uint initialising;

static atomic_bool was_initialised_at_fork;
static atomic_bool forked;

CUresult CUDAAPI cushim__init_slot(unsigned flags)
{
    CUresult(CUDAAPI * init)(unsigned) = (CUresult(CUDAAPI *)(unsigned))cushim__loaded()->init;
    /* A thread that is cancelled in there would be counted for ever. */
    const int cancellation = cushim__disable_cancellation();
    CUresult code;

    atomic_fetch_add(&initialising, 1);
    code = init(flags);
    if (code == CUDA_SUCCESS)
        atomic_store(&init_process, cushim__process());
    /* A call that fails later, as with other flags, does not end what succeeded. */
    if (code == CUDA_SUCCESS || atomic_load(&init_process) == 0)
        atomic_store(&init_answer, (int)code);
    /* Last: the child of a fork at any moment sees the one or the other. */
    atomic_fetch_sub(&initialising, 1);
    cushim__restore_cancellation(cancellation);
    return code;
}

bool cushim__init_outcome(CUresult *code, long *process)
{
    const int64_t answer = atomic_load(&init_answer);

    *process = (long)atomic_load(&init_process);
    *code = answer == NOT_CALLED ? CUDA_SUCCESS : (CUresult)(int)answer;
    return answer != NOT_CALLED;
}

static bool has_begun_to_initialise(void)
{
    return atomic_load(&initialising) != 0 || atomic_load(&init_process) != 0;
}

static bool driver_is_initialised(void)
{
    const struct cushim__loaded *driver = cushim__loaded();
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

/* Keep a child from the driver that its parent had initialised, or was initialising or loading. */
static void in_child(void)
{
    if (!cushim__is_forked() && (atomic_load(&was_initialised_at_fork) ||
                                 has_begun_to_initialise() || cushim__is_loading())) {
        atomic_store(&forked, true);
        cushim__withdraw(CUDA_ERROR_NOT_INITIALIZED);
    }
    cushim__forget_loading();
    cushim__report_after_fork();
    /* The child may have another CUDA_VISIBLE_DEVICES, so no answer of the parent's is its own. */
    atomic_store(&init_answer, NOT_CALLED);
}

void cushim__handle_forks(void)
{
    cushim__register_atfork(before_fork, in_child);
}

bool cushim__is_forked(void)
{
    return atomic_load(&forked);
}

/*
 * Whether cuInit of the loader's own table need not be asked again: some drivers leak descriptors
 * each time that they find no device.
 */
static bool has_no_device(const struct cushim_load_options *given)
{
    struct cushim_load_options options = {.size = sizeof options};

    return atomic_load(&init_answer) == CUDA_ERROR_NO_DEVICE && !cushim__is_installed() &&
           cushim__options_read(&options, sizeof options, given) && !options.retry_init;
}

CUresult cushim_init(const struct cushim_load_options *options)
{
    const CUresult code = cushim_load(options);

    if (code != CUDA_SUCCESS)
        return code;
    if (has_no_device(options))
        return CUDA_ERROR_NO_DEVICE;
    return cushim_driver()->Init(0);
}
