/* SPDX-License-Identifier: Apache-2.0 */
/* Green contexts and multiprocessors as a resource. Statements 228 and 229. */
#include <string.h>

#include "cases.h"

enum { GROUPS = 8, NO_TYPE = CUDA_ERROR_INVALID_RESOURCE_TYPE };
enum { WRONG = CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION };

static unsigned multiprocessors(const CUdevResource *resource)
{
    return resource->type == CU_DEV_RESOURCE_TYPE_SM ? resource->sm.smCount : 0;
}

static CUdevResource begin_resource(void)
{
    CUdevResource whole;

    MUST(cu->DeviceGetDevResource(begin_device(), &whole, CU_DEV_RESOURCE_TYPE_SM));
    return whole;
}

MEASURED_CASE(228, resources_are_multiprocessors)
{
    const CUdevResource whole = begin_resource();
    CUdevResource other;
    int count;

    MUST(cu->DeviceGetAttribute(&count, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
    EQUAL(count, multiprocessors(&whole));
    CODE(NO_TYPE, cu->DeviceGetDevResource(0, &other, (CUdevResourceType)0));
    CODE(NO_TYPE, cu->DeviceGetDevResource(0, &other, (CUdevResourceType)2));
    REFUSED(cu->DeviceGetDevResource(0, NULL, (CUdevResourceType)2));
    CODE(CUDA_ERROR_INVALID_DEVICE, cu->DeviceGetDevResource(99, NULL, (CUdevResourceType)2));
    REFUSED(cu->CtxGetDevResource(NULL, NULL, (CUdevResourceType)2));
    CODE(NO_TYPE, cu->CtxGetDevResource(NULL, &other, (CUdevResourceType)2));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->CtxGetDevResource(NULL, &other, CU_DEV_RESOURCE_TYPE_SM));
    OK(cu->CtxGetDevResource(begin_context(), &other, CU_DEV_RESOURCE_TYPE_SM));
    EQUAL(count, multiprocessors(&other));
}

/* Each group has at least 8 multiprocessors of an H200, and a multiple of 8. */
MEASURED_CASE(228, splits_are_rounded_up)
{
    static const struct {
        unsigned asked, flags, least, groups, size, rest;
        CUresult code;
    } rows[] = {
        {GROUPS, 0, 9, 8, 16, 4, CUDA_SUCCESS},
        {GROUPS, 0, 16, 8, 16, 4, CUDA_SUCCESS},
        {GROUPS, 0, 17, 5, 24, 12, CUDA_SUCCESS},
        {GROUPS, 2, 17, 5, 24, 12, CUDA_SUCCESS},
        {GROUPS, 0, 65, 1, 72, 60, CUDA_SUCCESS},
        {GROUPS, 0, 128, 1, 128, 4, CUDA_SUCCESS},
        {GROUPS, 0, 129, 1, 132, 0, CUDA_SUCCESS},
        {2, 0, 16, 2, 16, 100, CUDA_SUCCESS},
        {GROUPS, 1, 17, 7, 18, 6, CUDA_SUCCESS},
        {2, 1, 1, 2, 2, 128, CUDA_SUCCESS},
        {2, 1, 66, 2, 66, 0, CUDA_SUCCESS},
        {1, 4, 16, 1, 16, 116, CUDA_SUCCESS},
        {GROUPS, 0, 133, GROUPS, 0, 0, (CUresult)WRONG},
        {GROUPS, 3, 16, GROUPS, 0, 0, CUDA_ERROR_INVALID_VALUE},
        {0, 0, 16, 0, 0, 0, CUDA_ERROR_INVALID_VALUE},
    };
    const CUdevResource whole = begin_resource();

    for (size_t i = 0; i < COUNT(rows); i++) {
        CUdevResource groups[GROUPS], rest;
        unsigned count = rows[i].asked;

        memset(groups, 0, sizeof groups);
        memset(&rest, 0, sizeof rest);
        CODE(rows[i].code, cu->DevSmResourceSplitByCount(groups, &count, &whole, &rest,
                                                         rows[i].flags, rows[i].least));
        EQUAL(rows[i].groups, count);
        EQUAL(rows[i].size, multiprocessors(&groups[0]));
        EQUAL(rows[i].rest, multiprocessors(&rest));
    }
}

MEASURED_CASE(228, wrong_resources_are_refused)
{
    CUdevResource whole = begin_resource(), groups[2], forged = whole, none;
    CUdevResourceDesc description = NULL, other = NULL;
    unsigned count = 0;

    memset(&none, 0, sizeof none);
    forged.sm.smCount = 20;
    OK(cu->DevSmResourceSplitByCount(NULL, &count, &whole, NULL, 0, 16));
    EQUAL(8, count);
    count = 2;
    OK(cu->DevSmResourceSplitByCount(groups, &count, &whole, NULL, 0, 16));
    REFUSED(cu->DevSmResourceSplitByCount(groups, NULL, &whole, NULL, 0, 16));
    REFUSED(cu->DevSmResourceSplitByCount(groups, &count, NULL, NULL, 0, 16));
    CODE(NO_TYPE, cu->DevSmResourceSplitByCount(NULL, &count, &none, NULL, 0, 16));
    CODE(WRONG, cu->DevSmResourceSplitByCount(NULL, &count, &forged, NULL, 0, 16));
    CODE(WRONG, cu->DevSmResourceSplitByCount(NULL, &count, &groups[0], NULL, 0, 8));
    REFUSED(cu->DevResourceGenerateDesc(NULL, groups, 1));
    REFUSED(cu->DevResourceGenerateDesc(&description, NULL, 1));
    OK(cu->DevResourceGenerateDesc(&description, groups, 2));
    OK(cu->DevResourceGenerateDesc(&other, groups, 2));
    CHECK(description != other);
    OK(cu->DevResourceGenerateDesc(&other, &whole, 1));
    CODE(NO_TYPE, cu->DevResourceGenerateDesc(&other, &none, 1));
}

/* --- green contexts --- */

/* A green context with 16 multiprocessors, and their description. */
static CUgreenCtx begin_green(CUdevResourceDesc *description)
{
    const CUdevResource whole = begin_resource();
    CUdevResource group;
    CUgreenCtx green;
    unsigned count = 1;

    MUST(cu->DevSmResourceSplitByCount(&group, &count, &whole, NULL, 0, 16));
    MUST(cu->DevResourceGenerateDesc(description, &group, 1));
    MUST(cu->GreenCtxCreate(&green, *description, 0, CU_GREEN_CTX_DEFAULT_STREAM));
    return green;
}

/* The context of a green context, made current. */
static CUcontext make_green_current(CUgreenCtx green)
{
    CUcontext context;

    MUST(cu->CtxFromGreenCtx(&context, green));
    make_current(context);
    return context;
}

MEASURED_CASE(229, green_contexts_are_contexts)
{
    CUdevResourceDesc description;
    CUgreenCtx green = begin_green(&description), other = NULL;
    CUcontext context = NULL, primary, found;
    CUexecAffinityParam affinity;
    size_t limit = 0;
    unsigned long long ids[3] = {0};
    CUdevResource resource;
    unsigned flags;
    int active;

    OK(cu->DevicePrimaryCtxGetState(0, &flags, &active));
    EQUAL(1, active);
    CHECK(current_context() == NULL);
    REFUSED(cu->GreenCtxCreate(NULL, description, 0, 1));
    CODE(CUDA_ERROR_INVALID_DEVICE, cu->GreenCtxCreate(&other, description, 99, 0));
    REFUSED(cu->GreenCtxCreate(&other, description, 0, 0));
    REFUSED(cu->GreenCtxCreate(&other, description, 0, 3));
    OK(cu->GreenCtxCreate(&other, description, 0, 1));
    CHECK(other != green);
    REFUSED(cu->CtxFromGreenCtx(NULL, NULL));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->CtxFromGreenCtx(&context, NULL));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->CtxSetCurrent((CUcontext)green));
    OK(cu->CtxFromGreenCtx(&context, green));
    CHECK((void *)context == (void *)green);
    OK(cu->GreenCtxGetDevResource(green, &resource, CU_DEV_RESOURCE_TYPE_SM));
    EQUAL(16, multiprocessors(&resource));
    OK(cu->CtxGetDevResource(context, &resource, CU_DEV_RESOURCE_TYPE_SM));
    EQUAL(16, multiprocessors(&resource));
    flags = 2;
    OK(cu->DevSmResourceSplitByCount(NULL, &flags, &resource, NULL, 0, 8));
    EQUAL(2, flags);
    CODE(CUDA_ERROR_INVALID_CONTEXT,
         cu->GreenCtxGetDevResource(NULL, &resource, CU_DEV_RESOURCE_TYPE_SM));
    primary = begin_context();
    make_current(context);
    MUST(cu->CtxGetId(context, &ids[0]));
    MUST(cu->CtxGetId(primary, &ids[1]));
    OK(cu->GreenCtxGetId(NULL, &ids[2]));
    CHECK(ids[0] == ids[2] && ids[0] != ids[1]);
    OK(cu->CtxGetFlags(&flags));
    EQUAL(CU_CTX_MAP_HOST, flags);
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->CtxGetExecAffinity(&affinity, 0));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->CtxDestroy_v2(context));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->CtxDetach(context));
    OK(cu->CtxGetCurrent(&found));
    CHECK(found == context);
    MUST(cu->CtxSetLimit(CU_LIMIT_STACK_SIZE, 4096));
    make_current(primary);
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->GreenCtxGetId(NULL, ids));
    OK(cu->CtxGetLimit(&limit, CU_LIMIT_STACK_SIZE));
    EQUAL(4096, limit);
    /* Another context is not taken for a green one. */
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->CtxFromGreenCtx(&found, (CUgreenCtx)primary));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->GreenCtxDestroy((CUgreenCtx)primary));
    CODE(CUDA_ERROR_INVALID_CONTEXT,
         cu->GreenCtxGetDevResource((CUgreenCtx)primary, &resource, CU_DEV_RESOURCE_TYPE_SM));
}

/* How many multiprocessors a green context of these resources has. */
static unsigned described(CUdevResource one, const CUdevResource *other)
{
    CUdevResource both[2] = {one}, found;
    CUdevResourceDesc description;
    CUgreenCtx green;

    if (other)
        both[1] = *other;
    MUST(cu->DevResourceGenerateDesc(&description, both, other ? 2 : 1));
    MUST(cu->GreenCtxCreate(&green, description, 0, CU_GREEN_CTX_DEFAULT_STREAM));
    MUST(cu->GreenCtxGetDevResource(green, &found, CU_DEV_RESOURCE_TYPE_SM));
    return multiprocessors(&found);
}

MEASURED_CASE(228, described_multiprocessors_are_added)
{
    const CUdevResource whole = begin_resource();
    CUdevResource groups[4], rest;
    CUgreenCtx green;
    unsigned count = 4;

    MUST(cu->DevSmResourceSplitByCount(groups, &count, &whole, &rest, 0, 16));
    EQUAL(16, described(groups[0], NULL));
    EQUAL(32, described(groups[0], &groups[0]));
    EQUAL(32, described(groups[0], &groups[1]));
    EQUAL(84, described(groups[0], &rest));
    EQUAL(132, described(whole, &groups[0]));
    MUST(cu->GreenCtxCreate(&green, NULL, 0, CU_GREEN_CTX_DEFAULT_STREAM));
    MUST(cu->GreenCtxGetDevResource(green, &rest, CU_DEV_RESOURCE_TYPE_SM));
    EQUAL(132, multiprocessors(&rest));
}

MEASURED_CASE(229, streams_of_green_contexts_do_not_block)
{
    CUdevResourceDesc description;
    const CUgreenCtx green = begin_green(&description);
    CUgreenCtx found[3] = {NULL, NULL, NULL};
    CUcontext primary = begin_context(), context;
    CUstream stream = NULL, plain;
    unsigned flags;
    int priority, greatest = 0;

    REFUSED(cu->GreenCtxStreamCreate(NULL, green, CU_STREAM_NON_BLOCKING, 0));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->GreenCtxStreamCreate(&stream, NULL, 0, 0));
    REFUSED(cu->GreenCtxStreamCreate(&stream, green, CU_STREAM_DEFAULT, 0));
    REFUSED(cu->GreenCtxStreamCreate(&stream, green, 3, 0));
    CHECK(stream == (CUstream)-1);
    OK(cu->GreenCtxStreamCreate(&stream, green, CU_STREAM_NON_BLOCKING, -99));
    OK(cu->StreamGetPriority(stream, &priority));
    OK(cu->CtxGetStreamPriorityRange(NULL, &greatest));
    EQUAL(greatest, priority);
    OK(cu->StreamGetCtx(stream, &context));
    CHECK((void *)context == (void *)green);
    OK(cu->StreamGetCtx_v2(stream, &context, &found[0]));
    CHECK(context != (CUcontext)green);
    make_green_current(green);
    MUST(cu->StreamCreate(&plain, CU_STREAM_DEFAULT));
    OK(cu->StreamGetFlags(plain, &flags));
    EQUAL(CU_STREAM_NON_BLOCKING, flags);
    OK(cu->StreamGetGreenCtx(plain, &found[1]));
    OK(cu->StreamGetGreenCtx(NULL, &found[2]));
    OK(cu->StreamGetFlags(NULL, &flags));
    EQUAL(CU_STREAM_NON_BLOCKING, flags);
    for (size_t i = 0; i < COUNT(found); i++)
        CHECK(found[i] == green);
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->StreamGetCtx_v2(CU_STREAM_PER_THREAD, &context, NULL));
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->StreamQuery(CU_STREAM_PER_THREAD));
    make_current(primary);
    OK(cu->StreamGetGreenCtx(NULL, &found[0]));
    CHECK(found[0] == NULL);
}

MEASURED_CASE(229, green_contexts_share_with_the_primary_one)
{
    CUdevResourceDesc description;
    const CUgreenCtx green = begin_green(&description);
    const CUcontext primary = begin_context();
    const CUevent event = begin_event();
    CUfunction function = begin_function(begin_module(), "plain");
    CUcontext owner = NULL;
    CUdeviceptr memory;
    CUevent own;
    CUstream stream;
    float ms;
    int blocks;

    MUST(cu->GreenCtxStreamCreate(&stream, green, CU_STREAM_NON_BLOCKING, 0));
    make_green_current(green);
    own = begin_event();
    memory = begin_memory(4096);
    OK(cu->PointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, memory));
    CHECK(owner == primary);
    OK(cu->EventRecord(event, stream));
    make_current(primary);
    OK(cu->EventRecord(own, NULL));
    OK(cu->MemsetD8Async(memory, 1, 4096, stream));
    OK(cu->GreenCtxRecordEvent(green, event));
    OK(cu->GreenCtxRecordEvent(green, own));
    OK(cu->CtxRecordEvent(primary, own));
    OK(cu->GreenCtxWaitEvent(green, event));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->GreenCtxRecordEvent(NULL, NULL));
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->GreenCtxRecordEvent(green, NULL));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->GreenCtxWaitEvent(NULL, NULL));
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->GreenCtxWaitEvent(green, NULL));
    MUST(cu->CtxSynchronize());
    MUST(cu->StreamSynchronize(stream));
    OK(cu->EventElapsedTime(&ms, event, own));
    OK(cu->OccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 64, 0));
    CODE(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
         cu->LaunchCooperativeKernel(function, (unsigned)blocks * 16 + 1, 1, 1, 64, 1, 1, 0, stream,
                                     NULL));
}

MEASURED_CASE(229, records_of_captured_green_contexts_are_refused)
{
    CUdevResourceDesc description;
    const CUgreenCtx green = begin_green(&description);
    CUgreenCtx other;
    CUevent event = begin_event();
    CUstream stream, made;
    CUgraph graph;

    MUST(cu->GreenCtxStreamCreate(&stream, green, CU_STREAM_NON_BLOCKING, 0));
    for (int i = 0; i < 2; i++) {
        MUST(cu->StreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
        CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
             i ? cu->GreenCtxRecordEvent(green, event) : cu->GreenCtxWaitEvent(green, event));
        CODE(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cu->StreamEndCapture(stream, &graph));
    }
    MUST(cu->StreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cu->GreenCtxCreate(&other, description, 0, 1));
    OK(cu->GreenCtxStreamCreate(&made, other, CU_STREAM_NON_BLOCKING, 0));
    OK(cu->GreenCtxRecordEvent(other, event));
    OK(cu->GreenCtxDestroy(other));
    OK(cu->StreamEndCapture(stream, &graph));
}

MEASURED_CASE(229, green_contexts_keep_the_primary_one)
{
    CUdevResourceDesc description;
    const CUgreenCtx green = begin_green(&description);
    CUstream stream, made;
    CUdeviceptr memory;
    CUcontext found;
    unsigned flags;
    int active;

    CODE(CUDA_ERROR_NOT_PERMITTED, cu->DevicePrimaryCtxReset_v2(0));
    MUST(cu->GreenCtxStreamCreate(&stream, green, CU_STREAM_NON_BLOCKING, 0));
    make_green_current(green);
    OK(cu->GreenCtxDestroy(green));
    CHECK((void *)current_context() == (void *)green);
    OK(cu->DevicePrimaryCtxGetState(0, &flags, &active));
    EQUAL(0, active);
    CODE(CUDA_ERROR_CONTEXT_IS_DESTROYED, cu->CtxSynchronize());
    CODE(CUDA_ERROR_CONTEXT_IS_DESTROYED, cu->MemAlloc_v2(&memory, 64));
    CODE(CUDA_ERROR_CONTEXT_IS_DESTROYED, cu->GreenCtxStreamCreate(&made, green, 1, 0));
    CODE(CUDA_ERROR_CONTEXT_IS_DESTROYED, cu->CtxFromGreenCtx(&found, green));
    CODE(CUDA_ERROR_CONTEXT_IS_DESTROYED, cu->GreenCtxDestroy(green));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->GreenCtxDestroy(NULL));
}
