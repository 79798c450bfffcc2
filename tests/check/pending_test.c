/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of memory that ends while work may use it, and of copies of pageable memory. */
#include <string.h>

#include "src/check/finding.h"
#include "tests/check/order_fixture.h"

static const char host_used[] = "CUSHIM-host-memory-used";
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, order_setup, order_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(page_locked_memory_is_freed_behind_a_copy),
        TEST(pageable_memory_in_asynchronous_copies),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
