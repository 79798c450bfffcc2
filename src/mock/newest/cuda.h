/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The declarations of the newest <cuda.h> that the mock and the tests use, for older headers, down
 * to those of CUDA 11.2.
 *
 * The sources of the mock and the tests are written for the newest header. If the toolkit's is
 * older, the build lets them find this file first, and <cushim/slots.h> then assumes that the
 * header declares the types of 13.0. libcushim, and the tests of its public headers, are compiled
 * without this file.
 *
 * The types have the layout of the driver's ABI, with the members that these sources use; a struct
 * that they only pass on is incomplete. The version in front of each type is that of types.tsv. An
 * enumerator is defined as a macro, which does no harm if the header has it as well.
 */
#ifndef CUSHIM_MOCK_NEWEST_CUDA_H
#define CUSHIM_MOCK_NEWEST_CUDA_H

#if defined(__GNUC__)
#pragma GCC system_header /* #include_next is not ISO C */
#endif
#include_next <cuda.h>

#define CUSHIM__TYPES_VERSION 13000

#if CUDA_VERSION < 11030
typedef struct CUuserObject_st *CUuserObject;
typedef unsigned int CUflushGPUDirectRDMAWritesTarget;
typedef unsigned int CUflushGPUDirectRDMAWritesScope;
#endif

#if CUDA_VERSION < 11040
typedef unsigned int CUexecAffinityType;
typedef unsigned int CUgraphMem_attribute;
typedef struct mock_mem_alloc_node_params {
    CUmemPoolProps poolProps;
    const CUmemAccessDesc *accessDescs;
    size_t accessDescCount, bytesize;
    CUdeviceptr dptr;
} CUDA_MEM_ALLOC_NODE_PARAMS;
typedef struct mock_exec_affinity_param {
    CUexecAffinityType type;
    union {
        struct {
            unsigned int val;
        } smCount;
    } param;
} CUexecAffinityParam;
#endif

#if CUDA_VERSION < 11070
typedef unsigned int CUmemRangeHandleType;
typedef unsigned int CUmoduleLoadingMode;
typedef struct mock_batch_mem_op_node_params CUDA_BATCH_MEM_OP_NODE_PARAMS;
#endif

/* Enumerators that the headers of 11.8 have. */
#if CUDA_VERSION < 11080
#define CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY ((CUresult)224)
#define CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH 1
#define CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY 8
#define CU_EXEC_AFFINITY_TYPE_SM_COUNT 0
#define CU_GRAPH_NODE_TYPE_MEM_ALLOC ((CUgraphNodeType)10)
#define CU_GRAPH_NODE_TYPE_MEM_FREE ((CUgraphNodeType)11)
#define CU_GRAPH_NODE_TYPE_BATCH_MEM_OP ((CUgraphNodeType)12)
#define CU_GRAPH_USER_OBJECT_MOVE 1
#define CU_MEMPOOL_ATTR_USED_MEM_CURRENT ((CUmemPool_attribute)7)
#define CU_MEMPOOL_ATTR_USED_MEM_HIGH ((CUmemPool_attribute)8)
#define CU_MODULE_LAZY_LOADING 2
#define CU_STREAM_ADD_CAPTURE_DEPENDENCIES 0
#define CU_STREAM_SET_CAPTURE_DEPENDENCIES 1
#define CU_STREAM_MEM_OP_BARRIER ((CUstreamBatchMemOpType)6)
#define CU_USER_OBJECT_NO_DESTRUCTOR_SYNC 1
#endif

/* Enumerators that the headers of 12.4 have. */
#if CUDA_VERSION < 12040
#define CUDA_ERROR_INVALID_RESOURCE_TYPE ((CUresult)914)
#define CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION ((CUresult)915)
#define CU_DEV_RESOURCE_TYPE_SM 1
#define CU_GREEN_CTX_DEFAULT_STREAM 1
#define CUDA_ERROR_LOSSY_QUERY ((CUresult)402)
#define CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD 2
#define CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH 4
#define CU_CTX_COREDUMP_ENABLE 0x20
#define CU_CTX_SYNC_MEMOPS 0x80
#define CU_CTX_USER_COREDUMP_ENABLE 0x40
#define CU_GRAPH_NODE_TYPE_CONDITIONAL ((CUgraphNodeType)13)
#define CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE 1
#define CU_LIBRARY_BINARY_IS_PRESERVED 1
#endif

#if CUDA_VERSION < 12000
typedef struct CUkern_st *CUkernel;
typedef struct CUlib_st *CUlibrary;
typedef unsigned int CUdriverProcAddressQueryResult;
typedef unsigned int CUlaunchMemSyncDomain;
typedef unsigned int CUlibraryOption;
typedef unsigned int CUtensorMapDataType;
typedef unsigned int CUtensorMapFloatOOBfill;
typedef unsigned int CUtensorMapInterleave;
typedef unsigned int CUtensorMapL2promotion;
typedef unsigned int CUtensorMapSwizzle;
typedef struct mock_tensor_map {
    _Alignas(64) cuuint64_t opaque[16];
} CUtensorMap;

typedef enum mock_instantiate_result {
    CUDA_GRAPH_INSTANTIATE_SUCCESS,
    CUDA_GRAPH_INSTANTIATE_ERROR,
    CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE,
    CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED,
} CUgraphInstantiateResult;

typedef struct mock_instantiate_params {
    cuuint64_t flags;
    CUstream hUploadStream;
    CUgraphNode hErrNode_out;
    CUgraphInstantiateResult result_out;
} CUDA_GRAPH_INSTANTIATE_PARAMS;

typedef struct mock_update_result_info {
    CUgraphExecUpdateResult result;
    CUgraphNode errorNode, errorFromNode;
} CUgraphExecUpdateResultInfo;

/* The name was that of another struct before. */
typedef struct mock_kernel_node_params {
    CUfunction func;
    unsigned int gridDimX, gridDimY, gridDimZ;
    unsigned int blockDimX, blockDimY, blockDimZ;
    unsigned int sharedMemBytes;
    void **kernelParams;
    void **extra;
    CUkernel kern;
    CUcontext ctx;
} cushim__mock_kernel_node_params;
#define CUDA_KERNEL_NODE_PARAMS cushim__mock_kernel_node_params

/* The union of the older headers lacks members. */
typedef union mock_attribute_value {
    char pad[64];
    CUaccessPolicyWindow accessPolicyWindow;
    CUsynchronizationPolicy syncPolicy;
    struct {
        unsigned int x, y, z;
    } clusterDim;
    int cooperative;
    int priority;
    struct {
        unsigned char default_, remote;
    } memSyncDomainMap;
    CUlaunchMemSyncDomain memSyncDomain;
    int programmaticStreamSerializationAllowed;
    struct {
        CUevent event;
        int flags;
    } programmaticEvent;
} cushim__mock_attribute_value;
#undef CUstreamAttrValue
#define CUstreamAttrValue cushim__mock_attribute_value
#endif

#if CUDA_VERSION < 11060
typedef enum mock_launch_attribute_id {
    CU_LAUNCH_ATTRIBUTE_COOPERATIVE = 2,
} CUlaunchAttributeID;

typedef struct mock_launch_attribute {
    CUlaunchAttributeID id;
    char pad[4];
    cushim__mock_attribute_value value;
} CUlaunchAttribute;

typedef struct mock_launch_config {
    unsigned int gridDimX, gridDimY, gridDimZ;
    unsigned int blockDimX, blockDimY, blockDimZ;
    unsigned int sharedMemBytes;
    CUstream hStream;
    CUlaunchAttribute *attrs;
    unsigned int numAttrs;
} CUlaunchConfig;
typedef struct mock_array_memory_requirements {
    size_t size, alignment;
    unsigned int reserved[4];
} CUDA_ARRAY_MEMORY_REQUIREMENTS;
#endif

#if CUDA_VERSION < 12010
typedef unsigned int CUcoredumpSettings;
typedef unsigned int CUmulticastGranularity_flags;
typedef struct mock_multicast_object_prop {
    unsigned int numDevices;
    size_t size;
    unsigned long long handleTypes, flags;
} CUmulticastObjectProp;
#endif

#if CUDA_VERSION < 12020
#define CU_MEM_LOCATION_TYPE_HOST 2
#define CU_MEM_LOCATION_TYPE_HOST_NUMA 3
#define CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT 4
#endif

#if CUDA_VERSION < 12030
typedef cuuint64_t CUgraphConditionalHandle;
#define CU_GRAPH_COND_ASSIGN_DEFAULT 1
#define CU_GRAPH_COND_TYPE_IF 0
#define CU_GRAPH_COND_TYPE_WHILE 1
#endif
#if CUDA_VERSION < 12080
#define CU_GRAPH_COND_TYPE_SWITCH 2
#endif

/* The structs of the headers from 12.2 to 12.9 lack members. */
#if CUDA_VERSION < 13000
typedef struct mock_graph_node_params {
    CUgraphNodeType type;
    int reserved0[3];
    union {
        long long reserved1[29];
        CUDA_KERNEL_NODE_PARAMS kernel;
        struct {
            int flags, reserved;
            CUcontext copyCtx;
            CUDA_MEMCPY3D copyParams;
        } memcpy;
        struct {
            CUdeviceptr dst;
            size_t pitch;
            unsigned int value, elementSize;
            size_t width, height;
            CUcontext ctx;
        } memset;
        struct {
            CUhostFn fn;
            void *userData;
        } host;
        struct {
            CUgraph graph;
            unsigned int ownership;
        } graph;
        struct {
            CUevent event;
        } eventWait, eventRecord;
        struct {
            CUmemPoolProps poolProps;
            const CUmemAccessDesc *accessDescs;
            size_t accessDescCount, bytesize;
            CUdeviceptr dptr;
        } alloc;
        struct {
            CUdeviceptr dptr;
        } free;
        struct {
            CUgraphConditionalHandle handle;
            unsigned int type, size;
            CUgraph *phGraph_out;
            CUcontext ctx;
        } conditional;
    };
    long long reserved2;
} cushim__mock_graph_node_params;
#define CUgraphNodeParams cushim__mock_graph_node_params
#endif

#if CUDA_VERSION < 12030
typedef struct mock_graph_edge_data {
    unsigned char from_port, to_port, type, reserved[5];
} CUgraphEdgeData;
#endif

#if CUDA_VERSION < 12040
typedef struct CUdevResourceDesc_st *CUdevResourceDesc;
typedef struct CUgreenCtx_st *CUgreenCtx;
typedef unsigned int CUdevResourceType;
typedef unsigned int CUfunctionLoadingState;
typedef struct mock_dev_resource {
    CUdevResourceType type;
    unsigned char hidden[92];
    union {
        struct {
            unsigned int smCount;
        } sm;
        unsigned char room[48];
    };
} CUdevResource;
typedef void *CUasyncCallback;
typedef void *CUasyncCallbackHandle;
#endif

#if CUDA_VERSION < 12050
typedef struct mock_ctx_create_params {
    CUexecAffinityParam *execAffinityParams;
    int numExecAffinityParams;
    void *cigParams;
} CUctxCreateParams;
#endif

#if CUDA_VERSION < 12060
typedef struct mock_mem_decompress_params CUmemDecompressParams;
#endif

#if CUDA_VERSION < 12080
typedef struct mock_checkpoint_checkpoint_args CUcheckpointCheckpointArgs;
typedef struct mock_checkpoint_lock_args CUcheckpointLockArgs;
typedef struct mock_checkpoint_restore_args CUcheckpointRestoreArgs;
typedef struct mock_checkpoint_unlock_args CUcheckpointUnlockArgs;
typedef struct mock_memcpy_attributes {
    unsigned int srcAccessOrder;
    CUmemLocation srcLocHint, dstLocHint;
    unsigned int flags;
} CUmemcpyAttributes;
typedef struct mock_offset3d {
    size_t x, y, z;
} CUoffset3D;
typedef struct mock_memcpy3d_operand {
    unsigned int type;
    union {
        struct {
            CUdeviceptr ptr;
            size_t rowLength, layerHeight;
            CUmemLocation locHint;
        } ptr;
        struct {
            CUarray array;
            CUoffset3D offset;
        } array;
    } op;
} CUmemcpy3DOperand;
typedef struct mock_memcpy3d_batch_op {
    CUmemcpy3DOperand src, dst;
    struct {
        size_t width, height, depth;
    } extent;
    unsigned int srcAccessOrder, flags;
} CUDA_MEMCPY3D_BATCH_OP;
typedef unsigned int CUprocessState;
typedef unsigned int CUtensorMapIm2ColWideMode;
#endif

#if CUDA_VERSION < 12090
typedef unsigned int CUlogIterator;
typedef void *CUlogsCallback;
typedef void *CUlogsCallbackHandle;
#endif

#if CUDA_VERSION < 13000
typedef unsigned int CUatomicOperation;
#endif

#endif
