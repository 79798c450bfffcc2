/* SPDX-License-Identifier: Apache-2.0 */
/* A probe by a command that is named, or by the one that stands beside the library. */
#include <stdio.h>

#include <cushim/cushim.h>

int main(int count, char **arguments)
{
    const struct cushim_probe_options options = {.size = sizeof options,
                                                 .command = count > 1 ? arguments[1] : NULL};
    static struct cushim_probe_result probe = {.size = sizeof probe};
    const CUresult code = cushim_probe(&options, &probe);

    printf("%s %s: %s\n%s\n", cushim_probe_verdict_name(probe.verdict),
           cushim_probe_stage_name(probe.stage), probe.reason, probe.advice);
    return code == CUDA_SUCCESS ? 0 : 1;
}
