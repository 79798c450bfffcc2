/* SPDX-License-Identifier: Apache-2.0 */
/* All cases and peers, and how one of them is run. */
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "check.h"
#include "latch.h"

const struct conformance_case *const groups[] = {
    init_cases,
    fork_cases,
    proc_address_cases,
    primary_cases,
    context_cases,
    context_end_cases,
    event_create_cases,
    event_list_cases,
    event_state_cases,
    event_wait_cases,
    event_context_cases,
    fault_cases,
    elapsed_cases,
    elapsed_function_cases,
    cost_cases,
    stream_cases,
    stream_order_cases,
    stream_memory_cases,
    host_function_cases,
    capture_cases,
    capture_rule_cases,
    capture_fork_cases,
    capture_spoilt_cases,
    ipc_cases,
    undefined_cases,
    device_cases,
    memory_cases,
    managed_cases,
    host_memory_cases,
    pointer_cases,
    copy_cases,
    copy_order_cases,
    copy_shape_cases,
    set_cases,
    allocate_async_cases,
    pool_cases,
    ipc_memory_cases,
    memory_capture_cases,
    graph_cases,
    graph_launch_cases,
    graph_capture_cases,
    graph_update_cases,
    module_cases,
    kernel_cases,
    launch_cases,
    library_cases,
    capture_edge_cases,
    graph_edge_cases,
    graph_wrong_cases,
    memory_edge_cases,
    context_edge_cases,
    module_edge_cases,
    NULL,
};

static const struct peer_row *const peers[] = {ipc_peers, ipc_memory_peers, undefined_peers, NULL};

unsigned case_statement(const struct conformance_case *row)
{
    return (unsigned)strtoul(row->name, NULL, 10);
}

bool case_applies(const struct conformance_case *row, unsigned kind)
{
    const unsigned only_on = row->class == MOCK_ONLY ? ON_MOCK : row->only_on;

    return only_on == 0 || (only_on & kind) != 0;
}

void case_run(const char *name)
{
    for (const struct conformance_case *const *group = groups; *group; group++) {
        for (const struct conformance_case *row = *group; row->name; row++) {
            if (strcmp(row->name, name) != 0)
                continue;
            row->run();
            latch_open_all();
            check_end();
        }
    }
    for (const struct peer_row *const *group = peers; *group; group++) {
        for (const struct peer_row *row = *group; row->name; row++) {
            if (strcmp(row->name, name) != 0)
                continue;
            row->run();
            pass();
        }
    }
    fail("there is no case %s", name);
}
