/* SPDX-License-Identifier: Apache-2.0 */
/* A pipe in the place of a file: who waits for its reader holds up all who call the mock. */
#include "tests/mock/graph_world.h"
#include "tests/support/folder.h"

static void pipe_that_nobody_reads_is_refused(void **state)
{
    (void)state;
    CODE(CUDA_ERROR_OPERATING_SYSTEM, driver->GraphDebugDotPrint(graph, folder_pipe("unread"), 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(pipe_that_nobody_reads_is_refused, graph_auto, graph_end),
    };

    return cmocka_run_group_tests_name("pipe", tests, folder_create, folder_remove);
}
