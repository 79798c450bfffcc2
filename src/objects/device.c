/* SPDX-License-Identifier: Apache-2.0 */
#include <cushim/device.h>

#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include <cushim/context.h>

#include "src/base/system.h"
#include "src/objects/objects.h"

/* This is a number, since toolkit headers before 12.0 have no name for it. */
enum { IPC_EVENT_SUPPORTED = 125 };

CUresult cushim_device_get_by_uuid(const CUuuid *uuid, CUdevice *device)
{
    int count;
    CUresult code;

    if (!device || !uuid)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim_driver()->DeviceGetCount(&count);
    for (int ordinal = 0; code == CUDA_SUCCESS && ordinal < count; ordinal++) {
        CUdevice candidate;
        CUuuid its;

        code = cushim_driver()->DeviceGet(&candidate, ordinal);
        if (code == CUDA_SUCCESS)
            code = cushim_device_get_uuid(candidate, &its);
        if (code == CUDA_SUCCESS && memcmp(its.bytes, uuid->bytes, sizeof its.bytes) == 0) {
            *device = candidate;
            return CUDA_SUCCESS;
        }
    }
    return code == CUDA_SUCCESS ? CUDA_ERROR_INVALID_DEVICE : code;
}

CUresult cushim_device_get_uuid(CUdevice device, CUuuid *uuid)
{
    CUresult code;

    if (!uuid)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim_driver()->DeviceGetUuid_v2(uuid, device);
    return code == CUSHIM__REQUIRES_NEWER_DRIVER ? cushim_driver()->DeviceGetUuid(uuid, device)
                                                 : code;
}

static CUresult attribute(CUdevice device, CUdevice_attribute number, int *value)
{
    return cushim_driver()->DeviceGetAttribute(value, number, device);
}

CUresult cushim_device_get_stream_priority_range(CUdevice device, int *least, int *greatest)
{
    struct cushim_context_scope scope;
    struct cushim_context *primary;
    int its_least, its_greatest;
    CUresult code, released;

    if (!least || !greatest)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim_context_retain_primary(device, &primary);
    if (code != CUDA_SUCCESS)
        return code;
    code = cushim__context_enter(primary, &scope);
    if (code == CUDA_SUCCESS)
        code = cushim__context_leave(
            &scope, cushim_driver()->CtxGetStreamPriorityRange(&its_least, &its_greatest));
    released = cushim_context_release(primary);
    if (code != CUDA_SUCCESS)
        return code;
    if (released != CUDA_SUCCESS)
        return released;
    *least = its_least;
    *greatest = its_greatest;
    return CUDA_SUCCESS;
}

CUresult cushim_device_get_ipc_event_support(CUdevice device, bool *supported)
{
    int value, unified, integrated;
    CUresult code;

    if (!supported)
        return CUDA_ERROR_INVALID_VALUE;
    code = attribute(device, (CUdevice_attribute)IPC_EVENT_SUPPORTED, &value);
    if (code == CUDA_ERROR_INVALID_VALUE) { /* a driver that does not know the attribute */
        code = attribute(device, CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, &unified);
        if (code == CUDA_SUCCESS)
            code = attribute(device, CU_DEVICE_ATTRIBUTE_INTEGRATED, &integrated);
        if (code == CUDA_SUCCESS)
            value = !cushim__system_is_windows && unified && !integrated;
    }
    if (code == CUDA_SUCCESS)
        *supported = value != 0;
    return code;
}

/* --- UUIDs as text --- */

enum { BYTES = 16, PREFIX = 4 };

/* Whether a hyphen stands before a byte. */
static bool begins_group(int byte)
{
    return byte == 4 || byte == 6 || byte == 8 || byte == 10;
}

/* The value of a hexadecimal digit in any locale; -1 for any other character. */
static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

CUresult cushim_device_format_uuid(const CUuuid *uuid, char text[CUSHIM_DEVICE_UUID_SIZE])
{
    static const char digits[] = "0123456789abcdef";

    if (!uuid || !text)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(text, "GPU-", PREFIX);
    text += PREFIX;
    for (int i = 0; i < BYTES; i++) {
        const unsigned char byte = (unsigned char)uuid->bytes[i];

        if (begins_group(i))
            *text++ = '-';
        *text++ = digits[byte >> 4];
        *text++ = digits[byte & 15];
    }
    *text = '\0';
    return CUDA_SUCCESS;
}

CUresult cushim_device_parse_uuid(const char *text, CUuuid *uuid)
{
    CUuuid read;

    if (!uuid || !text)
        return CUDA_ERROR_INVALID_VALUE;
    if (strncmp(text, "GPU-", PREFIX) == 0 || strncmp(text, "MIG-", PREFIX) == 0)
        text += PREFIX;
    for (int i = 0; i < BYTES; i++) {
        int high, low;

        if (begins_group(i) && *text++ != '-')
            return CUDA_ERROR_INVALID_VALUE;
        high = digit(text[0]);
        low = high < 0 ? -1 : digit(text[1]);
        if (low < 0)
            return CUDA_ERROR_INVALID_VALUE;
        read.bytes[i] = (char)(unsigned char)(high << 4 | low);
        text += 2;
    }
    if (*text)
        return CUDA_ERROR_INVALID_VALUE;
    *uuid = read;
    return CUDA_SUCCESS;
}
