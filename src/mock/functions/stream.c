/* SPDX-License-Identifier: Apache-2.0 */
/* Streams (driver-semantics.md #49 to #55): how they begin and end, queries, waits, attributes. */
#include "src/mock/stream/stream.h"

#include <stdlib.h>

#include "src/mock/context/context.h"
#include "src/mock/core/device.h"
#include "src/mock/core/state.h"
#include "src/mock/functions/functions.h"
#include "src/mock/stream/capture.h"
#include "src/race/race.h"

CUresult cushim__mock_StreamCreateWithPriority(CUstream *phStream, unsigned int flags, int priority)
{
    struct mock_context *context;
    CUresult code;

    if (!phStream || flags > CU_STREAM_NON_BLOCKING)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__mock_context_current(&context);
    return code ? code : cushim__mock_stream_make(context, flags, priority, phStream);
}

CUresult cushim__mock_StreamCreate(CUstream *phStream, unsigned int Flags)
{
    return cushim__mock_StreamCreateWithPriority(phStream, Flags, 0);
}

static CUresult find_created(CUstream handle, struct mock_stream **stream)
{
    return cushim__mock_stream_is_default(handle) ? CUDA_ERROR_INVALID_HANDLE
                                                  : cushim__mock_stream_find(handle, stream);
}

/*
 * Also cuStreamDestroy. Queued work continues, and a thread that waits for it returns when it ends
 * (driver-semantics.md #29). The first ABI waits, during which others may destroy the stream.
 */
CUresult cushim__mock_StreamDestroy_v2(CUstream hStream, unsigned slot)
{
    struct mock_stream *stream;
    CUresult code = find_created(hStream, &stream);

    if (code == CUDA_SUCCESS && slot != CUSHIM__SLOT(StreamDestroy_v2))
        code = cushim__mock_sim_wait_stream(stream);
    if (code == CUDA_SUCCESS && slot != CUSHIM__SLOT(StreamDestroy_v2))
        code = find_created(hStream, &stream);
    if (code)
        return code;
    if (stream->capture && !cushim__mock_capture_forget_stream(stream, false))
        return CUDA_ERROR_OUT_OF_MEMORY;
    cushim__mock_object_remove(stream);
    cushim__mock_stream_end(stream);
    return CUDA_SUCCESS;
}

static CUresult check_capture(struct mock_stream *stream)
{
    return cushim__mock_captures ? cushim__mock_capture_query_stream(stream) : CUDA_SUCCESS;
}

CUresult cushim__mock_StreamQuery(struct mock_stream *stream)
{
    CUresult code = check_capture(stream);

    if (code)
        return code;
    if (cushim__mock_sim_busy(stream) || cushim__mock_sim_delays_stream(stream))
        return CUDA_ERROR_NOT_READY;
    cushim__mock_sim_end_reported();
    cushim__race_saw(cushim__race_stream(&stream->race), true);
    return CUDA_SUCCESS;
}

CUresult cushim__mock_StreamSynchronize(struct mock_stream *stream)
{
    CUresult code = check_capture(stream);

    return code ? code : cushim__mock_sim_wait_stream(stream);
}

/*
 * Fails on the legacy default stream while a stream that blocks it is captured
 * (driver-semantics.md #69).
 */
CUresult cushim__mock_StreamGetFlags(const struct mock_stream *stream, unsigned int *flags)
{
    if (cushim__mock_capture_in_the_way(stream))
        return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    *flags = stream->flags;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_StreamGetPriority(struct mock_stream *stream, int *priority)
{
    *priority = stream->priority;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_StreamGetId(const struct mock_stream *stream, unsigned long long *streamId)
{
    if (cushim__mock_capture_in_the_way(stream))
        return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    *streamId = stream->id;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_StreamGetCtx(const struct mock_stream *stream, struct mock_context **context)
{
    *context = stream->object.context;
    (*context)->is_known = true;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_StreamGetDevice(struct mock_stream *stream, CUdevice *device)
{
    *device = stream->object.context->device->ordinal;
    return CUDA_SUCCESS;
}

/*
 * Attributes of streams (driver-semantics.md #60, #195 and #201): they are kept, and change
 * nothing that could be observed.
 */

/* Attributes are numbers here, since headers older than an attribute do not name it. */
enum {
    ACCESS_POLICY_WINDOW = 1,
    SYNCHRONIZATION_POLICY = 3,
    PRIORITY = 8,
    MEMORY_DOMAIN_MAP = 9,
    MEMORY_DOMAIN = 10,
    DOMAIN_REMOTE = 1,  /* the last of the logical domains */
    DOMAIN_COUNT = 126, /* an attribute of the device */
};

/* Return whether the device has a domain of this number. */
static bool is_domain(unsigned number)
{
    return number < (unsigned)cushim__mock_attribute(DOMAIN_COUNT);
}

/* Write only the attribute's own member, since older headers have less room for the union. */
static CUresult get(const struct mock_stream *stream, int attribute, CUstreamAttrValue *value)
{
    switch (attribute) {
    case ACCESS_POLICY_WINDOW:
        value->accessPolicyWindow = stream->settings.window;
        return CUDA_SUCCESS;
    case SYNCHRONIZATION_POLICY:
        value->syncPolicy = stream->settings.synchronization;
        return CUDA_SUCCESS;
    case PRIORITY:
        value->priority = stream->priority;
        return CUDA_SUCCESS;
    case MEMORY_DOMAIN_MAP:
        value->memSyncDomainMap.default_ = stream->settings.memory_domain_map[0];
        value->memSyncDomainMap.remote = stream->settings.memory_domain_map[1];
        return CUDA_SUCCESS;
    case MEMORY_DOMAIN:
        value->memSyncDomain = (CUlaunchMemSyncDomain)stream->settings.memory_domain;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

static CUresult set(struct mock_stream *stream, int attribute, const CUstreamAttrValue *value)
{
    switch (attribute) {
    case ACCESS_POLICY_WINDOW:
        stream->settings.window = value->accessPolicyWindow;
        return CUDA_SUCCESS;
    case SYNCHRONIZATION_POLICY:
        if (value->syncPolicy < CU_SYNC_POLICY_AUTO ||
            value->syncPolicy > CU_SYNC_POLICY_BLOCKING_SYNC)
            return CUDA_ERROR_INVALID_VALUE;
        stream->settings.synchronization = value->syncPolicy;
        return CUDA_SUCCESS;
    case PRIORITY:
        stream->priority = cushim__mock_stream_clamp(value->priority);
        return CUDA_SUCCESS;
    case MEMORY_DOMAIN_MAP:
        if (!is_domain(value->memSyncDomainMap.default_) ||
            !is_domain(value->memSyncDomainMap.remote))
            return CUDA_ERROR_INVALID_VALUE;
        stream->settings.memory_domain_map[0] = value->memSyncDomainMap.default_;
        stream->settings.memory_domain_map[1] = value->memSyncDomainMap.remote;
        return CUDA_SUCCESS;
    case MEMORY_DOMAIN:
        if ((unsigned)value->memSyncDomain > DOMAIN_REMOTE)
            return CUDA_ERROR_INVALID_VALUE;
        stream->settings.memory_domain = (int)value->memSyncDomain;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult cushim__mock_StreamGetAttribute(struct mock_stream *stream, CUstreamAttrID attr,
                                         CUstreamAttrValue *value)
{
    return get(stream, (int)attr, value);
}

CUresult cushim__mock_StreamSetAttribute(struct mock_stream *stream, CUstreamAttrID attr,
                                         const CUstreamAttrValue *param)
{
    return set(stream, (int)attr, param);
}

CUresult cushim__mock_StreamCopyAttributes(struct mock_stream *to, const struct mock_stream *from)
{
    to->settings = from->settings;
    to->priority = from->priority;
    return CUDA_SUCCESS;
}
