/* SPDX-License-Identifier: Apache-2.0 */
/* A probe by the command that stands beside the library: who installs both names neither. */
#include <stdio.h>

#include <cushim/cushim.h>

int main(void)
{
    static struct cushim_probe_result probe = {.size = sizeof probe};
    const CUresult code = cushim_probe(NULL, &probe);

    printf("%s %s: %s\n%s\n", cushim_probe_verdict_name(probe.verdict),
           cushim_probe_stage_name(probe.stage), probe.reason, probe.advice);
    return code == CUDA_SUCCESS ? 0 : 1;
}
