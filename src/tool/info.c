/* SPDX-License-Identifier: Apache-2.0 */
/* `cushim info`: the report and the devices. */
#include <stdio.h>
#include <stdlib.h>

#include "src/tool/commands.h"
#include "src/tool/device.h"
#include "src/tool/driver.h"
#include "src/tool/json.h"
#include "src/tool/output.h"
#include "src/tool/trap.h"

struct devices {
    struct device *list;
    int count;
};

/* Read every device. After a failure the list has those before it. */
static bool read_devices(struct devices *devices, struct failure *failure)
{
    int count = 0;

    if (!device_count(&count, failure))
        return false;
    devices->list = output_memory((size_t)count * sizeof *devices->list);
    for (; devices->count < count; devices->count++) {
        struct device *device = &devices->list[devices->count];
        if (!device_open(device, devices->count, failure) || !device_describe(device, failure))
            return false;
    }
    return true;
}

/* This machine. A mock driver's failures have no reason in it. */
static bool set_scene(struct trap_scene *scene, const struct driver *driver)
{
    *scene = (struct trap_scene){.report = &driver->report, .root = "", .variable = getenv};
    return !driver->is_mock;
}

static void print_text(const struct driver *driver, const struct devices *devices,
                       const struct failure *failure)
{
    struct trap_scene scene;

    driver_print_mock(driver);
    output_report(&driver->report);
    if (set_scene(&scene, driver))
        trap_print(&scene);
    for (int i = 0; i < devices->count; i++) {
        putchar('\n');
        device_print(&devices->list[i]);
    }
    /* The report has said it already if the driver is not ready. */
    if (failure->status != STATUS_DONE && driver->report.state == CUSHIM_STATE_READY)
        failure_print(failure);
}

static void print_json(const struct driver *driver, const struct devices *devices,
                       const struct failure *failure)
{
    struct json json = {0};
    struct trap_scene scene;

    json_open(&json, NULL, '{');
    if (failure->status != STATUS_DONE)
        failure_json(failure, &json);
    driver_json_mock(driver, &json);
    json_report(&json, "report", &driver->report);
    if (set_scene(&scene, driver)) {
        trap_json(&scene, &json);
    } else {
        json_open(&json, "traps", '[');
        json_close(&json, ']');
    }
    json_open(&json, "devices", '[');
    for (int i = 0; i < devices->count; i++)
        device_json(&devices->list[i], &json);
    json_close(&json, ']');
    json_close(&json, '}');
}

enum status command_info(const struct arguments *arguments)
{
    struct driver driver;
    struct failure failure = {0};
    struct devices devices = {0};

    if (driver_choose(&driver, arguments, false, &failure))
        read_devices(&devices, &failure);
    if (arguments->json)
        print_json(&driver, &devices, &failure);
    else if (failure.status == STATUS_USAGE)
        failure_print(&failure);
    else
        print_text(&driver, &devices, &failure);
    free(devices.list);
    driver_close(&driver, &failure);
    return failure.status;
}
