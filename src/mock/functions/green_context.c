/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Green contexts (driver-semantics.md #229): the multiprocessors that they have, and their streams.
 * They begin and end in context.c.
 */
#include "src/mock/context/context.h"
#include "src/mock/context/resource.h"
#include "src/mock/core/device.h"
#include "src/mock/functions/functions.h"
#include "src/mock/stream/stream.h"

static CUresult check_type(cushim_CUdevResourceType type)
{
    return (int)type == MOCK_RESOURCE_SM ? CUDA_SUCCESS : CUDA_ERROR_INVALID_RESOURCE_TYPE;
}

CUresult cushim__mock_DeviceGetDevResource(struct mock_device *device,
                                           cushim_CUdevResource *resource,
                                           cushim_CUdevResourceType type)
{
    CUresult code = check_type(type);

    if (code == CUDA_SUCCESS)
        cushim__mock_resource_fill((struct mock_resource *)resource, device,
                                   cushim__mock_multiprocessors());
    return code;
}

CUresult cushim__mock_CtxGetDevResource(CUcontext hCtx, cushim_CUdevResource *resource,
                                        cushim_CUdevResourceType type)
{
    struct mock_context *context;
    CUresult code = check_type(type);

    if (code == CUDA_SUCCESS)
        code = cushim__mock_context_find(hCtx, &context);
    if (code == CUDA_SUCCESS)
        cushim__mock_resource_fill((struct mock_resource *)resource, context->device,
                                   context->base ? context->multiprocessors
                                                 : cushim__mock_multiprocessors());
    return code;
}

CUresult cushim__mock_GreenCtxGetDevResource(cushim_CUgreenCtx hCtx, cushim_CUdevResource *resource,
                                             cushim_CUdevResourceType type)
{
    struct mock_context *context;
    CUresult code = check_type(type);

    if (code == CUDA_SUCCESS)
        code = cushim__mock_green_find(hCtx, &context);
    return code ? code : cushim__mock_CtxGetDevResource((CUcontext)hCtx, resource, type);
}

CUresult cushim__mock_StreamGetDevResource(const struct mock_stream *stream,
                                           cushim_CUdevResource *resource,
                                           cushim_CUdevResourceType type)
{
    return cushim__mock_CtxGetDevResource(stream->object.context->object.handle, resource, type);
}

CUresult cushim__mock_DevSmResourceSplitByCount(cushim_CUdevResource *result,
                                                unsigned int *nbGroups,
                                                const cushim_CUdevResource *input,
                                                cushim_CUdevResource *remaining,
                                                unsigned int useFlags, unsigned int minCount)
{
    return cushim__mock_resource_split((const struct mock_resource *)input, useFlags, minCount,
                                       nbGroups, (struct mock_resource *)result,
                                       (struct mock_resource *)remaining);
}

CUresult cushim__mock_DevResourceGenerateDesc(struct mock_description **description,
                                              cushim_CUdevResource *resources,
                                              unsigned int nbResources)
{
    if (nbResources == 0) {
        cushim__mock_misuse(CUSHIM__MOCK_FOUND_UNDEFINED, "the driver crashes on 0 resources");
        return CUDA_ERROR_INVALID_VALUE;
    }
    return cushim__mock_description_create((const struct mock_resource *)resources, nbResources,
                                           description);
}

CUresult cushim__mock_GreenCtxGetId(cushim_CUgreenCtx greenCtx, unsigned long long *greenCtxId)
{
    struct mock_context *context;
    CUresult code = cushim__mock_context_find_or_current((CUcontext)greenCtx, &context);

    if (code == CUDA_SUCCESS && !context->base)
        code = CUDA_ERROR_INVALID_CONTEXT;
    if (code == CUDA_SUCCESS)
        *greenCtxId = context->id;
    return code;
}

CUresult cushim__mock_GreenCtxRecordEvent(struct mock_context *context, struct mock_event *event)
{
    return cushim__mock_CtxRecordEvent(context, event);
}

CUresult cushim__mock_GreenCtxWaitEvent(struct mock_context *context, struct mock_event *event)
{
    return cushim__mock_CtxWaitEvent(context, event);
}

CUresult cushim__mock_GreenCtxStreamCreate(CUstream *phStream, struct mock_context *context,
                                           unsigned int flags, int priority)
{
    *phStream = (CUstream)-1; /* also after a failure */
    return flags == CU_STREAM_NON_BLOCKING
               ? cushim__mock_stream_make(context, flags, priority, phStream)
               : CUDA_ERROR_INVALID_VALUE;
}

/* The context of a stream, if that is green. */
CUresult cushim__mock_StreamGetGreenCtx(const struct mock_stream *stream, cushim_CUgreenCtx *phCtx)
{
    const struct mock_context *context = stream->object.context;

    *phCtx = context->base ? context->object.handle : NULL;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_StreamGetCtx_v2(CUstream hStream, CUcontext *pCtx,
                                      cushim_CUgreenCtx *pGreenCtx)
{
    struct mock_stream *stream;
    CUresult code;

    if (!pCtx && !pGreenCtx)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__mock_stream_find(hStream, &stream);
    if (code)
        return code;
    if (pCtx)
        *pCtx = cushim__mock_context_space(stream->object.context)->object.handle;
    return pGreenCtx ? cushim__mock_StreamGetGreenCtx(stream, pGreenCtx) : CUDA_SUCCESS;
}
