/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cases: what the modules do on a driver with a GPU, each in a process of its own.
 *
 * A case is a function that comes to its end if all is well. Numbers in its name are statements of
 * docs/driver-semantics.md. What it measured it says with detail(); what it cannot do here it says
 * with skip().
 */
#ifndef CUSHIM_TESTS_GPU_CASES_H
#define CUSHIM_TESTS_GPU_CASES_H

#include <stdbool.h>
#include <stddef.h>

struct gpu_case {
    const char *name;
    void (*run)(void);
};

/* Each ends with a row without a name. */
extern const struct gpu_case device_cases[];
extern const struct gpu_case context_cases[];
extern const struct gpu_case context_setting_cases[];
extern const struct gpu_case stream_cases[];
extern const struct gpu_case stream_order_cases[];
extern const struct gpu_case stream_memory_cases[];
extern const struct gpu_case host_function_cases[];
extern const struct gpu_case event_cases[];
extern const struct gpu_case event_state_cases[];
extern const struct gpu_case event_time_cases[];
extern const struct gpu_case event_ipc_cases[];
extern const struct gpu_case event_pool_cases[];
extern const struct gpu_case explain_cases[];
extern const struct gpu_case capture_cases[];
extern const struct gpu_case capture_rule_cases[];
extern const struct gpu_case fault_cases[];
extern const struct gpu_case process_cases[];
extern const struct gpu_case orphan_cases[];

/* Second processes of cases, not listed. */
extern const struct gpu_case orphan_deeds[];
extern const struct gpu_case peers[]; /* started by peer_start() */

/* Run a case or a peer in this process; does not return. */
_Noreturn void case_run(const char *name);

#endif
