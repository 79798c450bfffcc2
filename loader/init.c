/* SPDX-License-Identifier: Apache-2.0 */
/* Initialising, which is not loading, and whether that has happened. */
#include <stdatomic.h>
#include <stdint.h>

#include "loader/loader.h"
#include "loader/symbols.h"
#include "loader/system.h"
#include "loader/tables.h"

/* What cuInit answered: any number of 32 bits, or the one that is none. */
#define NOT_CALLED INT64_MAX
static _Atomic int64_t init_answer = NOT_CALLED;
static atomic_long init_process;

/* Threads that are inside cuInit, and have not yet noted what came of it. */
static atomic_uint initialising;

static bool driver_says_so(void)
{
    const struct cushim_table *own = cushim__own_table();
    int devices = 0;

    if (!own || own == &cushim__boot_table ||
        (cushim_function)own->DeviceGetCount ==
            cushim__missing_function(CUSHIM__SLOT(DeviceGetCount)))
        return false;
    return own->DeviceGetCount(&devices) != CUDA_ERROR_NOT_INITIALIZED;
}

/* The driver may fork inside cuInit, and must not be asked then. */
bool cushim__is_initialised(void)
{
    if (atomic_load(&init_process) != 0)
        return true;
    return atomic_load(&initialising) == 0 && driver_says_so();
}

bool cushim__has_begun_to_initialise(void)
{
    return atomic_load(&initialising) != 0 || atomic_load(&init_process) != 0;
}

bool cushim__init_outcome(CUresult *code, long *process)
{
    const int64_t answer = atomic_load(&init_answer);

    *process = atomic_load(&init_process);
    *code = answer == NOT_CALLED ? CUDA_SUCCESS : (CUresult)(int)answer;
    return answer != NOT_CALLED;
}

static void note_init(CUresult code)
{
    /* An installed table may be a layer over the driver, or have nothing to do with it. */
    if (cushim__is_installed() && atomic_load(&init_process) == 0 && !driver_says_so())
        return;
    if (code == CUDA_SUCCESS)
        atomic_store(&init_process, (long)cushim__process_of(cushim__self()));
    atomic_store(&init_answer, (int)code);
}

CUresult cushim_init(const struct cushim_load_options *options)
{
    CUresult code = cushim_load(options);

    if (code != CUDA_SUCCESS)
        return code;
    atomic_fetch_add(&initialising, 1);
    code = cushim_driver()->Init(0);
    note_init(code);
    /* Last: the child of a fork at any moment sees the one or the other. */
    atomic_fetch_sub(&initialising, 1);
    return code;
}
