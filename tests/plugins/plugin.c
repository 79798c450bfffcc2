/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin.h"

#include <stdio.h>
#include <stdlib.h>

#include <cushim/cushim.h>

static void report(struct plugin_facts *facts)
{
    struct cushim_report *report;

    *facts = (struct plugin_facts){
        .version = cushim_version(),
        .slots = (sizeof(struct cushim_table) - sizeof(size_t)) / sizeof(cushim_function),
        .symbols = cushim_symbol_count(),
        .table_size = cushim_driver()->size,
        .current = &cushim_current_table,
    };
    if (cushim_report_create(&report) != CUDA_SUCCESS)
        return;
    snprintf(facts->state, sizeof facts->state, "%s",
             cushim_state_name(cushim_report_state(report)));
    snprintf(facts->library, sizeof facts->library, "%s", cushim_report_library(report));
    cushim_report_destroy(report);
}

static int load(void)
{
    return (int)cushim_driver_load(NULL);
}

static int init(void)
{
    return (int)cushim_driver_init(NULL);
}

static int count_devices(int *count)
{
    return (int)cushim_driver()->DeviceGetCount(count);
}

static int retain(void **context)
{
    CUcontext handle = NULL;
    const int code = (int)cushim_driver()->DevicePrimaryCtxRetain(&handle, 0);

    *context = handle;
    return code;
}

static int release(void)
{
    return (int)cushim_driver()->DevicePrimaryCtxRelease_v2(0);
}

static int synchronize(void)
{
    volatile int code = (int)cushim_driver()->CtxSynchronize();

    /* Prevents a tail call, so that the driver returns to this function. */
    return code;
}

static int *code_at_exit;

static void count_at_exit(void)
{
    int count;

    *code_at_exit = count_devices(&count);
}

static int at_exit(int *code)
{
    code_at_exit = code;
    return atexit(count_at_exit);
}

/* Refer to every function of cushim, so that the plugin contains all of it. */
#ifdef PLUGIN_WITH_EVERYTHING
#include "everything.h"
#endif

__attribute__((visibility("default"))) const struct plugin *plugin(void);

const struct plugin *plugin(void)
{
    static const struct plugin functions = {
        .report = report,
        .load = load,
        .init = init,
        .count_devices = count_devices,
        .retain = retain,
        .release = release,
        .synchronize = synchronize,
        .at_exit = at_exit,
    };

    return &functions;
}
