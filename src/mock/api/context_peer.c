/* SPDX-License-Identifier: Apache-2.0 */
/* Access of one device's contexts to another's memory. */
#include "src/mock/api/api.h"
#include "src/mock/api/context.h"
#include "src/mock/core/device.h"

static CUresult find(CUcontext peer, struct mock_context **current, struct mock_context **other)
{
    CUresult code = cushim__mock_context_current(current);

    return code ? code : cushim__mock_context_find(peer, other);
}

MOCK_APPROXIMATE(CtxEnablePeerAccess, "is kept, but copies between devices never need it")
(CUcontext peerContext, unsigned int Flags)
{
    struct mock_context *current, *other;
    CUresult code = find(peerContext, &current, &other);

    if (code)
        return code;
    if (Flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (other->device == current->device)
        return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
    if (current->peers[other->device->ordinal])
        return CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
    current->peers[other->device->ordinal] = true;
    return CUDA_SUCCESS;
}

MOCK_EXACT(CtxDisablePeerAccess)(CUcontext peerContext)
{
    struct mock_context *current, *other;
    CUresult code = find(peerContext, &current, &other);

    if (code)
        return code;
    if (!current->peers[other->device->ordinal])
        return CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
    current->peers[other->device->ordinal] = false;
    return CUDA_SUCCESS;
}
