/* SPDX-License-Identifier: Apache-2.0 */
/* Copies between devices: whichever context is current, the two that are named have to be some. */
#include <string.h>

#include "tests/mock/world.h"

enum { PITCH = 64, ROWS = 4, WIDTH = 16, BYTES = PITCH * ROWS };

static CUcontext contexts[2];
static CUdeviceptr memory[2];
static unsigned char sent[BYTES], received[BYTES];

static void begin(void)
{
    world_begin("devices = 2");
    for (int i = 0; i < 2; i++) {
        OK(driver->DevicePrimaryCtxRetain(&contexts[i], i));
        OK(driver->CtxPushCurrent_v2(contexts[i]));
        OK(driver->MemAlloc_v2(&memory[i], BYTES));
        OK(driver->MemsetD8_v2(memory[i], 0, BYTES));
        OK(driver->CtxPopCurrent_v2(NULL));
    }
    for (unsigned i = 0; i < BYTES; i++)
        sent[i] = (unsigned char)(i + 1);
    OK(driver->MemcpyHtoD_v2(memory[0], sent, BYTES));
}

static void end(void)
{
    for (int i = 0; i < 2; i++) {
        OK(driver->MemFree_v2(memory[i]));
        OK(driver->DevicePrimaryCtxRelease_v2(i));
    }
    world_end();
}

/* A piece of the first device's memory to another place of the second's. */
static CUDA_MEMCPY3D_PEER piece(void)
{
    return (CUDA_MEMCPY3D_PEER){.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                                .srcDevice = memory[0],
                                .srcContext = contexts[0],
                                .srcPitch = PITCH,
                                .srcHeight = ROWS,
                                .srcY = 1,
                                .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                                .dstDevice = memory[1],
                                .dstContext = contexts[1],
                                .dstPitch = PITCH,
                                .dstHeight = ROWS,
                                .dstXInBytes = 8,
                                .dstY = 2,
                                .WidthInBytes = WIDTH,
                                .Height = 2,
                                .Depth = 1};
}

/* Rows 1 and 2 have come to rows 2 and 3, 8 bytes further, and nothing else. */
static void assert_copied(void)
{
    unsigned char expected[BYTES] = {0};

    for (unsigned row = 0; row < 2; row++)
        memcpy(expected + (row + 2) * PITCH + 8, sent + (row + 1) * PITCH, WIDTH);
    OK(driver->MemcpyDtoH_v2(received, memory[1], BYTES));
    assert_memory_equal(received, expected, BYTES);
}

static void a_piece_is_copied_to_another_device(void **state)
{
    CUDA_MEMCPY3D_PEER copy;

    (void)state;
    begin();
    copy = piece();
    OK(driver->Memcpy3DPeer(&copy));
    assert_copied();
    end();
}

static void in_a_stream_it_is_copied_later(void **state)
{
    CUDA_MEMCPY3D_PEER copy;
    CUstream stream;

    (void)state;
    begin();
    stream = world_stream();
    copy = piece();
    world_spin(stream, 1000000000);
    OK(driver->Memcpy3DPeerAsync(&copy, stream));
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(stream));
    OK(driver->StreamSynchronize(stream));
    assert_copied();
    OK(driver->StreamDestroy_v2(stream));
    end();
}

/* The mock's own: a driver uses what is gone, and reads through NULL (measured: SIGSEGV). */
static void contexts_that_are_none_are_refused(void **state)
{
    CUDA_MEMCPY3D_PEER copy;
    CUcontext gone;

    (void)state;
    begin();
    OK(driver->CtxCreate_v2(&gone, 0, 0));
    OK(driver->CtxDestroy_v2(gone));
    copy = piece();
    copy.srcContext = gone;
    CODE(CUDA_ERROR_CONTEXT_IS_DESTROYED, driver->Memcpy3DPeer(&copy));
    copy = piece();
    copy.dstContext = gone;
    CODE(CUDA_ERROR_CONTEXT_IS_DESTROYED, driver->Memcpy3DPeer(&copy));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->Memcpy3DPeer(NULL));
    CODE(CUDA_ERROR_CONTEXT_IS_DESTROYED,
         driver->MemcpyPeer(memory[1], gone, memory[0], contexts[0], BYTES));
    OK(driver->MemcpyDtoH_v2(received, memory[1], BYTES));
    for (unsigned i = 0; i < BYTES; i++)
        assert_int_equal(received[i], 0);
    end();
}

static void without_contexts_addresses_say_where_memory_is(void **state)
{
    CUDA_MEMCPY3D_PEER copy;

    (void)state;
    begin();
    copy = piece();
    copy.srcContext = copy.dstContext = NULL;
    OK(driver->Memcpy3DPeer(&copy));
    assert_copied();
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_piece_is_copied_to_another_device),
        cmocka_unit_test(in_a_stream_it_is_copied_later),
        cmocka_unit_test(contexts_that_are_none_are_refused),
        cmocka_unit_test(without_contexts_addresses_say_where_memory_is),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
