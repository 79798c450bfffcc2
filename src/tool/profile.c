/* SPDX-License-Identifier: Apache-2.0 */
/* `cushim profile`: writes the attributes and limits of a device to a file that the mock reads. */
#include <stdio.h>
#include <string.h>

#include <cushim/context.h>
#include <cushim/driver.h>

#include "loader/attributes.h"
#include "src/tool/base/driver.h"
#include "src/tool/base/mock.h"
#include "src/tool/commands.h"

/*
 * The device is asked for every number that the mock driver reads, so that an attribute that is
 * newer than the names is not lost.
 */

struct profile {
    const char *name;
    bool is_mock;
    int driver_version;
    size_t memory_bytes;
    int least_priority, greatest_priority;
    int attributes[MOCK_ATTRIBUTES];
    bool has_attribute[MOCK_ATTRIBUTES];
    size_t limits[MOCK_LIMITS];
    bool has_limit[MOCK_LIMITS];
};

/* Attributes of the machine rather than of the kind of device, and what is written instead. */
static const struct {
    const char *name;
    int value;
} identifiers[] = {
    {"PCI_BUS_ID", 0},    {"PCI_DEVICE_ID", 0},
    {"PCI_DOMAIN_ID", 0}, {"MULTI_GPU_BOARD_GROUP_ID", 0},
    {"HOST_NUMA_ID", -1}, /* as on a machine without NUMA */
};

/* Returns NULL if the number is newer than the names. */
static const char *name_of(const struct cushim__attribute *names, size_t count, unsigned number)
{
    for (size_t i = 0; i < count; i++) {
        if (names[i].number == number)
            return names[i].name;
    }
    return NULL;
}

/* Whether one line of the file can hold a name, with no part taken for a comment or cut off. */
static bool check_name(const char *name, struct failure *failure)
{
    const size_t length = strlen(name);
    bool is_good = length > 0 && length < MOCK_NAME_BYTES && name[0] != ' ' && name[0] != '#' &&
                   name[length - 1] != ' ' && !strstr(name, " #");

    for (const char *next = name; *next && is_good; next++)
        is_good = (unsigned char)*next >= 0x20 && *next != 0x7f;
    if (!is_good)
        failure_set(failure, STATUS_USAGE, "Give the profile another name with --name.",
                    "a profile cannot have the name '%.160s': expected up to 255 characters in one "
                    "line, without a blank at the ends and without ' #'",
                    name);
    return is_good;
}

/* Attributes that this driver does not have are left out. */
static bool read_attributes(struct profile *profile, CUdevice device, struct failure *failure)
{
    for (int number = 1; number < MOCK_ATTRIBUTES; number++) {
        const CUresult code = cushim_driver()->DeviceGetAttribute(
            &profile->attributes[number], (CUdevice_attribute)number, device);
        profile->has_attribute[number] = code == CUDA_SUCCESS;
        if (code != CUDA_ERROR_INVALID_VALUE &&
            !failure_check(failure, "cuDeviceGetAttribute", code))
            return false;
    }
    for (size_t i = 0; i < sizeof identifiers / sizeof identifiers[0]; i++) {
        for (size_t k = 0; k < CUSHIM__ATTRIBUTE_COUNT; k++) {
            if (strcmp(cushim__attributes[k].name, identifiers[i].name) == 0)
                profile->attributes[cushim__attributes[k].number] = identifiers[i].value;
        }
    }
    return true;
}

/* Read the limits of the current context. */
static bool read_limits(struct profile *profile, struct failure *failure)
{
    for (int number = 0; number < MOCK_LIMITS; number++) {
        const CUresult code =
            cushim_driver()->CtxGetLimit(&profile->limits[number], (CUlimit)number);
        profile->has_limit[number] = code == CUDA_SUCCESS;
        if (code != CUDA_ERROR_INVALID_VALUE && code != CUDA_ERROR_UNSUPPORTED_LIMIT &&
            !failure_check(failure, "cuCtxGetLimit", code))
            return false;
    }
    return DRIVER_CALLED(failure, CtxGetStreamPriorityRange, &profile->least_priority,
                         &profile->greatest_priority);
}

static bool read_profile(struct profile *profile, CUdevice device, struct failure *failure)
{
    struct cushim_context *context = NULL;
    struct cushim_context_scope scope;

    if (!DRIVER_CALLED(failure, DeviceTotalMem_v2, &profile->memory_bytes, device) ||
        !read_attributes(profile, device, failure) ||
        !CALLED(failure, cushim_context_retain_primary, device, &context))
        return false;
    if (CALLED(failure, cushim_context_push, context, &scope)) {
        read_limits(profile, failure);
        CALLED(failure, cushim_context_pop, &scope);
    }
    CALLED(failure, cushim_context_release, context);
    return failure->status == STATUS_DONE;
}

static void put_key(FILE *file, const char *group, const char *name, unsigned number)
{
    if (name)
        fprintf(file, "%s.%s = ", group, name);
    else
        fprintf(file, "%s.%u = ", group, number);
}

static void put_profile(FILE *file, const void *data)
{
    const struct profile *profile = data;

    fprintf(file,
            "# %s with %s of CUDA %d.%d, as it answers: written by cushim profile.\n"
            "# What identifies the machine has been replaced: PCI numbers and board group 0, "
            "NUMA node -1.\n",
            profile->name, profile->is_mock ? "cushim's mock driver" : "the driver",
            profile->driver_version / 1000, profile->driver_version % 1000 / 10);
    fprintf(file, "schema = 1\nname = %s\ndriver_version = %d\nmemory_bytes = %zu\n", profile->name,
            profile->driver_version, profile->memory_bytes);
    fprintf(file, "priority.least = %d\npriority.greatest = %d\n\n", profile->least_priority,
            profile->greatest_priority);
    for (unsigned number = 0; number < MOCK_ATTRIBUTES; number++) {
        if (profile->has_attribute[number]) {
            put_key(file, "attribute", name_of(cushim__attributes, CUSHIM__ATTRIBUTE_COUNT, number),
                    number);
            fprintf(file, "%d\n", profile->attributes[number]);
        }
    }
    fputc('\n', file);
    for (unsigned number = 0; number < MOCK_LIMITS; number++) {
        if (profile->has_limit[number]) {
            put_key(file, "limit", name_of(cushim__limits, CUSHIM__LIMIT_COUNT, number), number);
            fprintf(file, "%zu\n", profile->limits[number]);
        }
    }
}

enum status command_profile(const struct arguments *arguments)
{
    struct driver driver;
    struct failure failure = {0};
    struct device device;
    struct profile profile = {0};
    bool is_read;

    if (arguments->name && !check_name(arguments->name, &failure)) {
        failure_print(&failure);
        return failure.status;
    }
    if (driver_choose(&driver, arguments, false, &failure) &&
        device_choose(&device, arguments->device, &failure)) {
        profile.name = arguments->name ? arguments->name : device.name;
        profile.is_mock = driver.is_mock;
        profile.driver_version = driver.report.driver_version;
        is_read =
            check_name(profile.name, &failure) && read_profile(&profile, device.handle, &failure);
        if (is_read && arguments->output)
            output_to_file(arguments->output, "The profile", put_profile, &profile, &failure);
        else if (is_read) /* main() closes standard output, and reports what is lost there */
            put_profile(stdout, &profile);
    }
    if (failure.status != STATUS_DONE)
        failure_print(&failure);
    driver_close(&driver, &failure);
    return failure.status;
}
