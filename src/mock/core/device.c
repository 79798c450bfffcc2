/* SPDX-License-Identifier: Apache-2.0 */
#include "src/mock/core/device.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "src/mock/core/state.h"

static const char prefix[] = "GPU-";
enum { PREFIX = sizeof prefix - 1, UUID_TEXT = 37 };

/* The next number of a sequence that depends on the seed alone (the generator splitmix64). */
static uint64_t next_random(uint64_t *state)
{
    uint64_t bits = *state += UINT64_C(0x9e3779b97f4a7c15);

    bits = (bits ^ bits >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    bits = (bits ^ bits >> 27) * UINT64_C(0x94d049bb133111eb);
    return bits ^ bits >> 31;
}

static void make_uuid(CUuuid *uuid, uint64_t *state)
{
    for (size_t i = 0; i < sizeof uuid->bytes; i += 8) {
        uint64_t bits = next_random(state);
        for (size_t k = 0; k < 8; k++, bits >>= 8)
            uuid->bytes[i + k] = (char)(unsigned char)bits;
    }
}

/* Write a UUID as the list has it, without the prefix. */
static void write_uuid(const CUuuid *uuid, char text[UUID_TEXT])
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < sizeof uuid->bytes; i++) {
        const unsigned char byte = (unsigned char)uuid->bytes[i];
        if (i == 4 || i == 6 || i == 8 || i == 10)
            *text++ = '-';
        *text++ = digits[byte >> 4];
        *text++ = digits[byte & 15];
    }
    *text = '\0';
}

static char lower(char c)
{
    return c >= 'A' && c <= 'F' ? (char)(c - 'A' + 'a') : c;
}

/* Whether an entry of the list is the beginning of the device's UUID, with at least one digit. */
static bool is_named(const struct mock_device *device, const char *entry, size_t length)
{
    char text[UUID_TEXT];

    write_uuid(&device->uuid, text);
    if (length <= PREFIX || length - PREFIX >= sizeof text)
        return false;
    for (size_t i = PREFIX; i < length; i++) {
        if (lower(entry[i]) != text[i - PREFIX])
            return false;
    }
    return true;
}

/* The one device whose UUID begins with an entry; NULL if there is none or more than one. */
static struct mock_device *find_named(struct cushim_mock *mock, const char *entry, size_t length)
{
    struct mock_device *found = NULL;

    for (unsigned i = 0; i < mock->settings.devices; i++) {
        if (!is_named(&mock->devices[i], entry, length))
            continue;
        if (found)
            return NULL;
        found = &mock->devices[i];
    }
    return found;
}

/* strtol() allows blanks and a sign before the number, and anything after it. */
static struct mock_device *find_numbered(struct cushim_mock *mock, const char *entry)
{
    char *end;
    const long number = strtol(entry, &end, 10);

    if (end == entry || number < 0 || number >= (long)mock->settings.devices)
        return NULL;
    return &mock->devices[number];
}

/*
 * Read a list into `order`. Returns how many devices it names, or -1 if one is named twice. The
 * list ends at the first entry that names none, or is of the other kind (a number or a UUID).
 */
static int read_list(struct cushim_mock *mock, const char *list, unsigned *order)
{
    const bool by_name = strncmp(list, prefix, PREFIX) == 0;
    int count = 0;

    for (const char *entry = list;; entry++) {
        const size_t length = strcspn(entry, ",");
        const bool is_name = strncmp(entry, prefix, PREFIX) == 0;
        const struct mock_device *device = is_name != by_name ? NULL
                                           : is_name          ? find_named(mock, entry, length)
                                                              : find_numbered(mock, entry);
        if (!device)
            return count;
        for (int i = 0; i < count; i++) {
            if (order[i] == (unsigned)(device - mock->devices))
                return -1;
        }
        order[count++] = (unsigned)(device - mock->devices);
        entry += length;
        if (!*entry)
            return count;
    }
}

CUresult cushim__mock_devices_create(struct cushim_mock *mock)
{
    uint64_t state = mock->settings.seed;

    mock->devices = calloc(mock->settings.devices + 1, sizeof *mock->devices);
    if (!mock->devices)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (unsigned i = 0; i < mock->settings.devices; i++) {
        struct mock_device *device = &mock->devices[i];
        device->ordinal = (int)i;
        device->visible = true;
        device->bus = i + 1;
        make_uuid(&device->uuid, &state);
    }
    return CUDA_SUCCESS;
}

void cushim__mock_devices_destroy(struct cushim_mock *mock)
{
    free(mock->devices);
    mock->devices = NULL;
}

CUresult cushim__mock_devices_show(struct cushim_mock *mock, const char *list)
{
    struct mock_device all[MOCK_DEVICES_MAX];
    unsigned order[MOCK_DEVICES_MAX];
    unsigned next;
    int count;

    if (!list)
        return mock->settings.devices ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE;
    count = read_list(mock, list, order);
    if (count < 0)
        return CUDA_ERROR_INVALID_DEVICE;
    memcpy(all, mock->devices, mock->settings.devices * sizeof *all);
    next = (unsigned)count;
    for (unsigned i = 0; i < mock->settings.devices; i++)
        all[i].visible = false;
    for (int i = 0; i < count; i++) {
        mock->devices[i] = all[order[i]];
        mock->devices[i].visible = true;
        all[order[i]].visible = true;
    }
    for (unsigned i = 0; i < mock->settings.devices; i++) {
        if (!all[i].visible)
            mock->devices[next++] = all[i];
    }
    for (unsigned i = 0; i < mock->settings.devices; i++)
        mock->devices[i].ordinal = (int)i;
    return count ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE;
}

int cushim__mock_device_count(void)
{
    int count = 0;

    while (count < (int)cushim__mock->settings.devices && cushim__mock->devices[count].visible)
        count++;
    return count;
}

CUresult cushim__mock_device_find(CUdevice handle, struct mock_device **device)
{
    if (handle < 0 || handle >= cushim__mock_device_count())
        return CUDA_ERROR_INVALID_DEVICE;
    *device = &cushim__mock->devices[handle];
    return cushim__mock_call.refusal;
}
