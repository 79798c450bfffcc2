/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Initialisers of the driver's structs: members that belong together. A pitch of 0 is that of rows
 * without gaps.
 */
#ifndef CUSHIM_TESTS_SUPPORT_STRUCTS_H
#define CUSHIM_TESTS_SUPPORT_STRUCTS_H

/* A row of blocks, each of a row of threads: for launches and for nodes. */
#define BLOCKS(blocks, threads)                                                             \
    .gridDimX = blocks, .gridDimY = 1, .gridDimZ = 1, .blockDimX = threads, .blockDimY = 1, \
    .blockDimZ = 1
#define ONE_THREAD BLOCKS(1, 1)

/* The source and the destination of a copy of rows or layers. */
#define FROM_HOST(host, pitch) \
    .srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = host, .srcPitch = pitch
#define FROM_DEVICE(device, pitch) \
    .srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = device, .srcPitch = pitch
#define FROM_ARRAY(array) .srcMemoryType = CU_MEMORYTYPE_ARRAY, .srcArray = array
#define TO_HOST(host, pitch) .dstMemoryType = CU_MEMORYTYPE_HOST, .dstHost = host, .dstPitch = pitch
#define TO_DEVICE(device, pitch) \
    .dstMemoryType = CU_MEMORYTYPE_DEVICE, .dstDevice = device, .dstPitch = pitch
#define TO_ARRAY(array) .dstMemoryType = CU_MEMORYTYPE_ARRAY, .dstArray = array

#endif
