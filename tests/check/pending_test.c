/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that ends while work may use it, and copies of pageable memory. */
#include <stdlib.h>
#include <string.h>

#include "src/check/finding.h"
#include "tests/check/order_fixture.h"

static const char host_used[] = "CUSHIM-host-memory-used";
static const char pool_used[] = "CUSHIM-pool-memory-used";
static const char pageable[] = "CUSHIM-copy-pageable";

static void page_locked_memory_is_freed_behind_a_copy(void **state)
{
    const struct cushim__finding *finding;

    (void)state;
    order_read(order_streams[0]);
    OK(driver->MemFreeHost(order_host));
    order_host = NULL;
    order_take(host_used, 1);
    finding = cushim__finding_next(NULL);
    assert_non_null(finding);
    assert_string_equal(finding->what, "memory#2 is freed while a copy on stream#1 may use it: "
                                       "nothing has waited for that");
    assert_string_equal(cushim__slot_name(finding->earlier.slot), "cuMemcpyDtoHAsync_v2");
}

static void page_locked_memory_is_freed_after_a_wait(void **state)
{
    (void)state;
    order_read(order_streams[0]);
    OK(driver->StreamSynchronize(order_streams[0]));
    OK(driver->MemFreeHost(order_host));
    order_host = NULL;
    order_take(host_used, 0);
}

static void unregister(bool waits)
{
    enum { BYTES = 8192 };
    char *memory = malloc(BYTES);

    assert_non_null(memory);
    OK(driver->MemHostRegister_v2(memory, BYTES, 0));
    OK(driver->MemcpyHtoDAsync_v2(order_memory, memory, 64, order_streams[0]));
    if (waits)
        OK(driver->CtxSynchronize());
    OK(driver->MemHostUnregister(memory));
    free(memory);
    order_take(host_used, waits ? 0 : 1);
}

static void registered_memory_is_unregistered_behind_a_copy(void **state)
{
    (void)state;
    unregister(false);
}

static void registered_memory_is_unregistered_after_a_wait(void **state)
{
    (void)state;
    unregister(true);
}

static void free_pooled(bool waits)
{
    CUdeviceptr memory;

    OK(driver->MemAllocAsync(&memory, 64, order_streams[0]));
    OK(driver->MemsetD8Async(memory, 1, 64, order_streams[0]));
    if (waits)
        OK(driver->StreamSynchronize(order_streams[0]));
    OK(driver->MemFree_v2(memory));
    order_take(pool_used, waits ? 0 : 1);
}

static void pool_memory_is_freed_behind_a_set(void **state)
{
    (void)state;
    free_pooled(false);
}

static void pool_memory_is_freed_after_a_wait(void **state)
{
    (void)state;
    free_pooled(true);
}

/* cuMemFree itself waits for all else. */
static void device_memory_is_freed_behind_a_set(void **state)
{
    CUdeviceptr memory;

    (void)state;
    OK(driver->MemAlloc_v2(&memory, 64));
    OK(driver->MemsetD8Async(memory, 1, 64, order_streams[0]));
    OK(driver->MemFree_v2(memory));
    order_take(pool_used, 0);
}

/* One place of the program, one finding. */
static void pageable_memory_in_asynchronous_copies(void **state)
{
    static char memory[64];

    (void)state;
    for (unsigned i = 0; i < 3; i++)
        OK(driver->MemcpyHtoDAsync_v2(order_memory, memory, sizeof memory, order_streams[0]));
    order_take(pageable, 1);
    OK(driver->MemcpyDtoHAsync_v2(memory, order_memory, sizeof memory, order_streams[0]));
    assert_int_equal(cushim_check_count(order_layer, pageable), 2);
    order_take_all();
}

static void page_locked_memory_in_asynchronous_copies(void **state)
{
    static char memory[64];
    void *unseen;

    (void)state;
    order_read(order_streams[0]);
    OK(driver->MemcpyHtoDAsync_v2(order_memory, order_host + 64, 64, order_streams[0]));
    OK(driver->CtxSynchronize());
    OK(driver->MemcpyHtoD_v2(order_memory, memory, sizeof memory)); /* not asynchronous */
    OK(cushim_mock_table(order_mock)->MemAllocHost_v2(&unseen, 64));
    OK(driver->CtxSynchronize());
    OK(driver->MemcpyDtoHAsync_v2(unseen, order_memory, 64, order_streams[0]));
    OK(driver->CtxSynchronize());
    OK(cushim_mock_table(order_mock)->MemFreeHost(unseen));
    order_take(pageable, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, order_setup, order_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(page_locked_memory_is_freed_behind_a_copy),
        TEST(page_locked_memory_is_freed_after_a_wait),
        TEST(registered_memory_is_unregistered_behind_a_copy),
        TEST(registered_memory_is_unregistered_after_a_wait),
        TEST(pool_memory_is_freed_behind_a_set),
        TEST(pool_memory_is_freed_after_a_wait),
        TEST(device_memory_is_freed_behind_a_set),
        TEST(pageable_memory_in_asynchronous_copies),
        TEST(page_locked_memory_in_asynchronous_copies),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
