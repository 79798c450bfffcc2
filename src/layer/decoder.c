/* SPDX-License-Identifier: Apache-2.0 */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include "src/layer/decoder.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "src/layer/api_effect.h"
#include "src/layer/watch.h"

static struct cushim__reading *readings;

/* Numbers and handles that are passed as such, or written to where a pointer leads. */
static const struct {
    const char *type;
    uint8_t form;
} written[] = {
    {"int *", CUSHIM__WRITTEN_SIGNED},
    {"CUdevice *", CUSHIM__WRITTEN_SIGNED},
    {"unsigned int *", CUSHIM__WRITTEN_UNSIGNED},
    {"size_t *", CUSHIM__WRITTEN_WIDE},
    {"unsigned long long *", CUSHIM__WRITTEN_WIDE},
    {"cuuint64_t *", CUSHIM__WRITTEN_WIDE},
    {"float *", CUSHIM__WRITTEN_FLOAT},
    {"const char **", CUSHIM__WRITTEN_TEXT},
    {"CUstreamCaptureStatus *", CUSHIM__WRITTEN_SIGNED},
    {"CUgraphNodeType *", CUSHIM__WRITTEN_SIGNED},
    {"CUgraphExecUpdateResult *", CUSHIM__WRITTEN_SIGNED},
    {"CUfunc_cache *", CUSHIM__WRITTEN_SIGNED},
    {"CUmoduleLoadingMode *", CUSHIM__WRITTEN_SIGNED},
    {"CUfunctionLoadingState *", CUSHIM__WRITTEN_SIGNED},
    {"CUdriverProcAddressQueryResult *", CUSHIM__WRITTEN_SIGNED},
    {"CUtexObject *", CUSHIM__WRITTEN_HANDLE},
    {"CUsurfObject *", CUSHIM__WRITTEN_HANDLE},
    {"CUmemGenericAllocationHandle *", CUSHIM__WRITTEN_HANDLE},
    {"CUgraphConditionalHandle *", CUSHIM__WRITTEN_HANDLE},
};

/*
 * Pointers that are not followed, a bit for each parameter: to arrays, to what is passed and not
 * written, and to what the driver leaves alone in some cases though it succeeds.
 */
static const struct {
    uint16_t slot, parameters;
} left_alone[] = {
    {CUSHIM__SLOT(GraphInstantiate), 1 << 2},
    {CUSHIM__SLOT(GraphInstantiate_v2), 1 << 2},
    {CUSHIM__SLOT(GraphExecUpdate), 1 << 2},
    {CUSHIM__SLOT(StreamGetCaptureInfo), 1 << 2},
    {CUSHIM__SLOT(StreamGetCaptureInfo_ptsz), 1 << 2},
    {CUSHIM__SLOT(StreamGetCaptureInfo_v2), 1 << 2 | 1 << 3 | 1 << 5},
    {CUSHIM__SLOT(StreamGetCaptureInfo_v2_ptsz), 1 << 2 | 1 << 3 | 1 << 5},
    {CUSHIM__SLOT(StreamGetCaptureInfo_v3), 1 << 2 | 1 << 3 | 1 << 6},
    {CUSHIM__SLOT(StreamGetCaptureInfo_v3_ptsz), 1 << 2 | 1 << 3 | 1 << 6},
    {CUSHIM__SLOT(StreamGetCtx_v2), 1 << 1 | 1 << 2},
    {CUSHIM__SLOT(StreamGetCtx_v2_ptsz), 1 << 1 | 1 << 2},
    {CUSHIM__SLOT(MemcpyBatchAsync), 1 << 2 | 1 << 5 | 1 << 7},
    {CUSHIM__SLOT(MemcpyBatchAsync_ptsz), 1 << 2 | 1 << 5 | 1 << 7},
    {CUSHIM__SLOT(MemcpyBatchAsync_v2), 1 << 2 | 1 << 5},
    {CUSHIM__SLOT(MemcpyBatchAsync_v2_ptsz), 1 << 2 | 1 << 5},
    {CUSHIM__SLOT(Memcpy3DBatchAsync), 1 << 2},
    {CUSHIM__SLOT(Memcpy3DBatchAsync_ptsz), 1 << 2},
    {CUSHIM__SLOT(MemBatchDecompressAsync), 1 << 3},
    {CUSHIM__SLOT(MemBatchDecompressAsync_ptsz), 1 << 3},
    {CUSHIM__SLOT(MemPrefetchBatchAsync), 1 << 1 | 1 << 4},
    {CUSHIM__SLOT(MemPrefetchBatchAsync_ptsz), 1 << 1 | 1 << 4},
    {CUSHIM__SLOT(MemDiscardBatchAsync), 1 << 1},
    {CUSHIM__SLOT(MemDiscardBatchAsync_ptsz), 1 << 1},
    {CUSHIM__SLOT(MemDiscardAndPrefetchBatchAsync), 1 << 1 | 1 << 4},
    {CUSHIM__SLOT(MemDiscardAndPrefetchBatchAsync_ptsz), 1 << 1 | 1 << 4},
    {CUSHIM__SLOT(MemRangeGetAttributes), 1 << 1},
    {CUSHIM__SLOT(DeviceGetP2PAtomicCapabilities), 1 << 0},
    {CUSHIM__SLOT(DeviceGetHostAtomicCapabilities), 1 << 0},
    {CUSHIM__SLOT(LogicalEndpointQuery), 1 << 2},
    {CUSHIM__SLOT(TexRefSetBorderColor), 1 << 1},
    {CUSHIM__SLOT(TexRefGetBorderColor), 1 << 0},
    {CUSHIM__SLOT(GLGetDevices), 1 << 1},
    {CUSHIM__SLOT(GLGetDevices_v2), 1 << 1},
    {CUSHIM__SLOT(EGLStreamConsumerAcquireFrame), 1 << 1 | 1 << 2},
    {CUSHIM__SLOT(EGLStreamConsumerReleaseFrame), 1 << 2},
    {CUSHIM__SLOT(EGLStreamProducerPresentFrame), 1 << 2},
    {CUSHIM__SLOT(EGLStreamProducerReturnFrame), 1 << 2},
};

static enum cushim__form written_form(const char *type)
{
    for (size_t i = 0; i < sizeof written / sizeof *written; i++) {
        if (strcmp(type, written[i].type) == 0)
            return (enum cushim__form)written[i].form;
    }
    return CUSHIM__READ_POINTER;
}

static enum cushim__form form_of(const struct cushim__parameter *parameter, enum cushim__noun noun)
{
    switch (parameter->kind) {
    case CUSHIM__PARAMETER_HANDLE:
        return CUSHIM__READ_HANDLE;
    case CUSHIM__PARAMETER_HANDLE_OUT:
        return CUSHIM__WRITTEN_HANDLE;
    case CUSHIM__PARAMETER_ADDRESS:
        return CUSHIM__READ_ADDRESS;
    case CUSHIM__PARAMETER_ADDRESS_OUT:
        return CUSHIM__WRITTEN_ADDRESS;
    case CUSHIM__PARAMETER_SIGNED:
        return strcmp(parameter->type, "CUresult") == 0 ? CUSHIM__READ_RESULT : CUSHIM__READ_SIGNED;
    case CUSHIM__PARAMETER_UNSIGNED:
        return noun == CUSHIM__NO_NOUN ? CUSHIM__READ_UNSIGNED : CUSHIM__READ_HANDLE;
    case CUSHIM__PARAMETER_FLOAT:
        return CUSHIM__READ_FLOAT;
    case CUSHIM__PARAMETER_TEXT:
        return CUSHIM__READ_TEXT;
    case CUSHIM__PARAMETER_STRUCT:
        return CUSHIM__READ_STRUCT;
    case CUSHIM__PARAMETER_POINTER:
        break;
    }
    return written_form(parameter->type);
}

static struct cushim__reading reading_of(const struct cushim__parameter *parameter)
{
    const size_t length = strcspn(parameter->type, " *");
    const enum cushim__noun noun = cushim__noun_of(parameter->type, length);

    return (struct cushim__reading){.form = (uint8_t)form_of(parameter, noun),
                                    .noun = (uint8_t)noun};
}

/* Page-locked memory comes by `void **`, and goes by `void *`. */
static void read_deeds(unsigned slot)
{
    const struct cushim__deed *deed = cushim__deed_first(slot);

    for (; deed; deed = cushim__deed_next(deed)) {
        struct cushim__reading *reading;

        if (deed->noun != CUSHIM__NOUN_MEMORY)
            continue;
        reading = &readings[cushim__parameter_first[slot] + deed->parameter];
        reading->noun = CUSHIM__NOUN_MEMORY;
        if (deed->act == CUSHIM__MAKES || deed->act == CUSHIM__MAKES_HERE)
            reading->form = CUSHIM__WRITTEN_ADDRESS;
    }
}

bool cushim__readings_prepare(void)
{
    const unsigned count = cushim__parameter_first[CUSHIM__SYMBOL_COUNT];

    if (readings)
        return true;
    readings = malloc(count * sizeof *readings);
    if (!readings)
        return false;
    for (unsigned i = 0; i < count; i++)
        readings[i] = reading_of(&cushim__parameters[i]);
    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++)
        read_deeds(slot);
    for (size_t i = 0; i < sizeof left_alone / sizeof *left_alone; i++) {
        struct cushim__reading *first = &readings[cushim__parameter_first[left_alone[i].slot]];

        for (unsigned bit = 0; bit < 16; bit++) {
            if (left_alone[i].parameters & 1u << bit)
                first[bit].form = CUSHIM__READ_POINTER;
        }
    }
    return true;
}

void cushim__readings_drop(void)
{
    free(readings);
    readings = NULL;
}

struct cushim__reading cushim__reading_of(unsigned parameter)
{
    return readings[parameter];
}
