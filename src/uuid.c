/* SPDX-License-Identifier: Apache-2.0 */
#include <cushim/device.h>

#include <stdbool.h>
#include <string.h>

enum { BYTES = 16, PREFIX = 4 };

/* Whether a hyphen stands before a byte. */
static bool begins_group(int byte)
{
    return byte == 4 || byte == 6 || byte == 8 || byte == 10;
}

/* Value of a digit, without a locale; -1 for any other character. */
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

CUresult cushim_uuid_format(const CUuuid *uuid, char text[CUSHIM_UUID_TEXT_SIZE])
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

CUresult cushim_uuid_parse(const char *text, CUuuid *uuid)
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
