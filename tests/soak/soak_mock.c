/* SPDX-License-Identifier: Apache-2.0 */
/*
 * soak_mock [OPTION]...: a client that makes, uses and gives back all that a driver has, from many
 * threads; `--help` tells the options. To be run on the mock's library, by `cushim run`: its
 * kernels are the mock's.
 */
#include <stdio.h>

#include <cushim/cushim.h>

#include "acts.h"
#include "process.h"
#include "soak.h"

enum { FAILED = 1, SKIPPED = 77 };

int main(int count, char **arguments)
{
    const struct soak soak = {.name = "soak_mock", .work = acts, .sample = acts_settle};
    struct soak_options options = {.threads = 32, .seconds = 5};
    struct cushim_mock_state state = {.size = sizeof state};
    struct soak_round round;
    const int status = soak_options_read(
        &options, count, arguments, "Soak the mock driver: run it by `cushim run -- soak_mock`.");
    CUresult code;

    if (status >= 0)
        return status;
    code = cushim_init(NULL);
    if (code != CUDA_SUCCESS || !process_mock_state(&state)) {
        fprintf(stderr, "soak_mock: the driver is not the mock: %s\n", cushim_error_string(code));
        return SKIPPED;
    }
    acts_leak(options.leak);
    if (acts_begin() != CUDA_SUCCESS || !soak_run(&soak, &options, options.threads, &round)) {
        fprintf(stderr, "soak_mock: no context, or no threads\n");
        return FAILED;
    }
    code = acts_end();
    process_mock_state(&state);
    if (options.json) {
        printf("{\"program\":\"soak_mock\",\"left_handles\":%zu,\"left_allocations\":%zu,"
               "\"rounds\":[",
               state.handles, state.allocations);
        soak_tell_json(&round);
        printf("]}\n");
    } else {
        soak_tell(&round);
        printf("left at the end: %zu handles, %zu allocations\n", state.handles, state.allocations);
    }
    return code == CUDA_SUCCESS && round.is_flat && round.failures == 0 && state.handles == 0 &&
                   state.allocations == 0 && state.violations == 0
               ? 0
               : FAILED;
}
