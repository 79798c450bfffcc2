/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attributes of streams (statements 60, 195 and 201): they are kept, and change nothing that could be
 * observed.
 */
#include "src/mock/api/api.h"
#include "src/mock/api/stream.h"
#include "src/mock/core/state.h"

/* By number: headers older than an attribute do not name it. */
enum {
    ACCESS_POLICY_WINDOW = 1,
    SYNCHRONIZATION_POLICY = 3,
    PRIORITY = 8,
    MEMORY_DOMAIN_MAP = 9,
    MEMORY_DOMAIN = 10,
    DOMAIN_REMOTE = 1,  /* the last of the logical ones */
    DOMAIN_COUNT = 126, /* an attribute of the device */
};

/* Whether the device has a domain of this number. */
static bool is_domain(unsigned number)
{
    return number < (unsigned)cushim__mock->settings.profile.attributes[DOMAIN_COUNT];
}

/* Writes the attribute's own member alone: older headers have less room for others. */
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
        stream->priority = cushim__mock_stream_priority(value->priority);
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

MOCK_APPROXIMATE(StreamGetAttribute, "what was set; nothing of it has an effect")
(CUstream hStream, CUstreamAttrID attr, CUstreamAttrValue *value_out)
{
    struct mock_stream *stream;
    CUresult code = cushim__mock_stream_find(hStream, &stream);

    if (code == CUDA_SUCCESS && !value_out)
        code = CUDA_ERROR_INVALID_VALUE;
    return code ? code : get(stream, (int)attr, value_out);
}

MOCK_APPROXIMATE(StreamSetAttribute, "is kept and has no effect")
(CUstream hStream, CUstreamAttrID attr, const CUstreamAttrValue *value)
{
    struct mock_stream *stream;
    CUresult code = cushim__mock_stream_find(hStream, &stream);

    if (code == CUDA_SUCCESS && !value)
        code = CUDA_ERROR_INVALID_VALUE;
    return code ? code : set(stream, (int)attr, value);
}

MOCK_EXACT(StreamCopyAttributes)(CUstream dst, CUstream src)
{
    struct mock_stream *to, *from;
    CUresult code = cushim__mock_stream_find(dst, &to);

    if (code == CUDA_SUCCESS)
        code = cushim__mock_stream_find(src, &from);
    if (code == CUDA_SUCCESS)
        to->settings = from->settings;
    if (code == CUDA_SUCCESS)
        to->priority = from->priority;
    return code;
}
