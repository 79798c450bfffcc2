/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies in manual mode, of freed memory, and between two devices; sizes, arrays and attributes that
 * the mock refuses; managed memory of two devices. tests/conformance tests statements 98 to 119.
 */

#include "tests/mock/fixture.h"

enum { MIB = 1 << 20, MS = 1000000 };

static CUdeviceptr memory;
static char *pinned;
static CUstream copy_stream;

static int begin(void **state)
{
    fixture_begin("mode = manual");
    OK(driver->MemAlloc_v2(&memory, MIB));
    OK(driver->MemAllocHost_v2((void **)&pinned, MIB));
    copy_stream = fixture_stream();
    return 0;
}

#define TEST(name) TEST_BETWEEN(name, begin, fixture_done)

TEST(bytes_move_when_the_copy_executes)
{
    const char *device = cushim_mock_memory(fixture_mock, memory, MIB);

    pinned[0] = 1;
    OK(driver->MemcpyHtoDAsync_v2(memory, pinned, 16, copy_stream));
    assert_int_equal(device[0], 0);
    pinned[0] = 2;
    OK(cushim_mock_step(fixture_mock));
    assert_int_equal(device[0], 2);
    OK(driver->MemcpyDtoHAsync_v2(pinned + 8, memory, 1, copy_stream));
    assert_int_equal(pinned[8], 0);
    OK(cushim_mock_step(fixture_mock));
    assert_int_equal(pinned[8], 2);
}

/*
 * No other thread can advance the clock while the call waits, so the mock executes the copy at
 * once.
 */
TEST(synchronous_copies_need_no_time_in_manual_mode)
{
    char byte = 9, back = 0;

    OK(driver->MemcpyHtoD_v2(memory, &byte, 1));
    OK(driver->MemcpyDtoH_v2(&back, memory, 1));
    assert_int_equal(back, 9);
    assert_int_equal(fixture_state().now_ns, 0);
}

TEST(copies_take_time_by_their_bytes)
{
    uint64_t small, large;

    OK(driver->MemcpyHtoDAsync_v2(memory, pinned, 16, copy_stream));
    OK(cushim_mock_drain(fixture_mock));
    small = fixture_state().now_ns;
    OK(driver->MemcpyHtoDAsync_v2(memory, pinned, MIB, copy_stream));
    OK(cushim_mock_drain(fixture_mock));
    large = fixture_state().now_ns - small;
    assert_true(small > 0);
    assert_true(large > small + 1000);
}

TEST_ALONE(set_or_copy_of_a_freed_allocation_is_an_illegal_address)
{
    for (unsigned copies = 0; copies < 2; copies++) {
        CUdeviceptr gone;

        fixture_begin("mode = manual");
        copy_stream = fixture_stream();
        OK(driver->MemAlloc_v2(&gone, 64));
        fixture_spin(copy_stream, 10 * MS);
        if (copies)
            OK(driver->MemcpyDtoDAsync_v2(gone, gone + 32, 32, copy_stream));
        else
            OK(driver->MemsetD8Async(gone, 1, 64, copy_stream));
        OK(driver->MemFreeAsync(gone, NULL));
        OK(cushim_mock_advance(fixture_mock, 5 * MS));
        OK(driver->StreamQuery(NULL));
        OK(cushim_mock_advance(fixture_mock, 10 * MS));
        CODE(CUDA_ERROR_ILLEGAL_ADDRESS, driver->StreamQuery(copy_stream));
        CODE(CUDA_ERROR_ILLEGAL_ADDRESS, driver->MemAlloc_v2(&gone, 64));
        cushim_mock_destroy(fixture_mock);
    }
}

/* A driver takes most of these, because their sizes overflow. */
TEST(sizes_that_overflow_are_refused)
{
    static const size_t huge = SIZE_MAX / 2;
    const CUDA_MEMCPY2D rows = {FROM_HOST(pinned, 64), TO_DEVICE(memory, 128), .WidthInBytes = 32,
                                .Height = 4};
    CUDA_MEMCPY2D copy = rows;

    copy.dstY = huge;
    CODE(CUDA_ERROR_INVALID_VALUE, driver->Memcpy2D_v2(&copy));
    copy = rows;
    copy.dstPitch = huge;
    CODE(CUDA_ERROR_INVALID_VALUE, driver->Memcpy2D_v2(&copy));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemsetD2D8_v2(memory, huge, 1, 4, 3));
}

/* A driver creates both arrays. */
TEST(sparse_and_compressed_arrays_are_refused)
{
    enum { SPARSE = 0x40, BC1_UNORM = 0x91 };
    CUDA_ARRAY3D_DESCRIPTOR of = {
        .Width = 8, .Height = 8, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1, .Flags = SPARSE};
    CUarray array = NULL;

    CODE(CUDA_ERROR_NOT_SUPPORTED, driver->Array3DCreate_v2(&array, &of));
    of.Flags = 0;
    of.NumChannels = 4;
    of.Format = (CUarray_format)BC1_UNORM;
    CODE(CUDA_ERROR_NOT_SUPPORTED, driver->Array3DCreate_v2(&array, &of));
    assert_null(array);
}

/* Page-locked and managed memory. */

TEST(large_page_locked_memory_is_zero_and_writable)
{
    enum { BYTES = 3 << 20 };
    char *large;

    OK(driver->MemAllocHost_v2((void **)&large, BYTES));
    assert_int_equal(large[0] | large[BYTES - 1], 0);
    large[0] = large[BYTES - 1] = 1;
    OK(driver->MemFreeHost(large));
    CODE(CUDA_ERROR_OUT_OF_MEMORY, driver->MemAllocHost_v2((void **)&large, (size_t)1 << 44));
    assert_null(large);
}

TEST(attribute_without_a_place_is_refused)
{
    CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                        CU_POINTER_ATTRIBUTE_CONTEXT};
    unsigned type;
    void *places[] = {&type, NULL};

    CODE(CUDA_ERROR_INVALID_VALUE, driver->PointerGetAttributes(2, attributes, places, memory));
    OK(driver->PointerGetAttributes(1, attributes, places, memory));
}

FIXTURE_TEST(devices_that_access_managed_memory_are_in_order, "devices = 2")
{
    int places[3] = {7, 7, 7};
    CUdeviceptr managed;

    OK(driver->MemAllocManaged(&managed, 4096, CU_MEM_ATTACH_GLOBAL));
    OK(driver->MemAdvise(managed, 4096, CU_MEM_ADVISE_SET_ACCESSED_BY, 1));
    OK(driver->MemAdvise(managed, 4096, CU_MEM_ADVISE_SET_ACCESSED_BY, 0));
    OK(driver->MemRangeGetAttribute(places, sizeof places, CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY,
                                    managed, 4096));
    assert_true(places[0] == 0 && places[1] == 1 && places[2] == CU_DEVICE_INVALID);
}

/*
 * Copies between devices: any context may be current, but the two contexts of the call must be
 * valid.
 */

enum { PITCH = 64, ROWS = 4, WIDTH = 16, BYTES = PITCH * ROWS };

static CUcontext contexts[2];
static CUdeviceptr peer_memory[2];
static unsigned char sent[BYTES], received[BYTES];

static int peer_begin(void **state)
{
    fixture_begin("devices = 2");
    for (int i = 0; i < 2; i++) {
        OK(driver->DevicePrimaryCtxRetain(&contexts[i], i));
        OK(driver->CtxPushCurrent_v2(contexts[i]));
        OK(driver->MemAlloc_v2(&peer_memory[i], BYTES));
        OK(driver->MemsetD8_v2(peer_memory[i], 0, BYTES));
        OK(driver->CtxPopCurrent_v2(NULL));
    }
    for (unsigned i = 0; i < BYTES; i++)
        sent[i] = (unsigned char)(i + 1);
    OK(driver->MemcpyHtoD_v2(peer_memory[0], sent, BYTES));
    return 0;
}

static int peer_end(void **state)
{
    for (int i = 0; i < 2; i++) {
        OK(driver->MemFree_v2(peer_memory[i]));
        OK(driver->DevicePrimaryCtxRelease_v2(i));
    }
    fixture_end();
    return 0;
}

/* A copy from the first device's memory to another offset in the second's. */
static CUDA_MEMCPY3D_PEER piece(void)
{
    return (CUDA_MEMCPY3D_PEER){FROM_DEVICE(peer_memory[0], PITCH),
                                .srcContext = contexts[0],
                                .srcHeight = ROWS,
                                .srcY = 1,
                                TO_DEVICE(peer_memory[1], PITCH),
                                .dstContext = contexts[1],
                                .dstHeight = ROWS,
                                .dstXInBytes = 8,
                                .dstY = 2,
                                .WidthInBytes = WIDTH,
                                .Height = 2,
                                .Depth = 1};
}

/* Rows 1 and 2 are now rows 2 and 3, shifted by 8 bytes, and no other bytes have changed. */
static void assert_copied(void)
{
    unsigned char expected[BYTES] = {0};

    for (unsigned row = 0; row < 2; row++)
        memcpy(expected + (row + 2) * PITCH + 8, sent + (row + 1) * PITCH, WIDTH);
    OK(driver->MemcpyDtoH_v2(received, peer_memory[1], BYTES));
    assert_memory_equal(received, expected, BYTES);
}

TEST_BETWEEN(a_piece_is_copied_to_another_device, peer_begin, peer_end)
{
    CUDA_MEMCPY3D_PEER copy = piece();
    CUcontext popped;

    OK(driver->Memcpy3DPeer(&copy));
    assert_copied();
    OK(driver->MemcpyPeer(peer_memory[1], contexts[1], peer_memory[0], contexts[0], BYTES));
    OK(driver->MemcpyDtoH_v2(received, peer_memory[1], BYTES));
    assert_memory_equal(received, sent, BYTES);
    OK(driver->CtxPushCurrent_v2(contexts[1]));
    OK(driver->MemsetD8_v2(peer_memory[1], 7, BYTES));
    OK(driver->CtxSynchronize());
    OK(driver->CtxPopCurrent_v2(&popped));
    OK(driver->Memcpy(peer_memory[0], peer_memory[1], BYTES));
    OK(driver->MemcpyDtoH_v2(received, peer_memory[0], BYTES));
    assert_int_equal(received[BYTES - 1], 7);
}

/* Without contexts, the addresses say where the memory is. */
TEST_BETWEEN(in_a_stream_it_is_copied_later, peer_begin, peer_end)
{
    CUDA_MEMCPY3D_PEER copy = piece();
    CUstream stream = fixture_stream();

    copy.srcContext = copy.dstContext = NULL;
    fixture_spin(stream, 1000000000);
    OK(driver->Memcpy3DPeerAsync(&copy, stream));
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(stream));
    OK(driver->StreamSynchronize(stream));
    assert_copied();
}

/*
 * A choice of the mock: a driver uses destroyed contexts, and dereferences NULL (measured:
 * SIGSEGV).
 */
TEST_BETWEEN(contexts_that_are_none_are_refused, peer_begin, peer_end)
{
    CUDA_MEMCPY3D_PEER copy;
    CUcontext gone;

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
         driver->MemcpyPeer(peer_memory[1], gone, peer_memory[0], contexts[0], BYTES));
    OK(driver->MemcpyDtoH_v2(received, peer_memory[1], BYTES));
    for (unsigned i = 0; i < BYTES; i++)
        assert_int_equal(received[i], 0);
}
