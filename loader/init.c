/* SPDX-License-Identifier: Apache-2.0 */
/* Initialising, which is not loading, and whether that has happened. */
#include <stdatomic.h>

#include "loader/loader.h"
#include "loader/symbols.h"
#include "loader/system.h"
#include "loader/tables.h"

static atomic_int init_code = -1;
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

int cushim__init_outcome(long *process)
{
    *process = atomic_load(&init_process);
    return atomic_load(&init_code);
}

static void note_init(CUresult code)
{
    /* An installed table may be a layer over the driver, or have nothing to do with it. */
    if (cushim__is_installed() && atomic_load(&init_process) == 0 && !driver_says_so())
        return;
    if (code == CUDA_SUCCESS)
        atomic_store(&init_process, (long)cushim__process_of(cushim__self()));
    atomic_store(&init_code, (int)code);
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
