/* SPDX-License-Identifier: Apache-2.0 */
#include "control.h"

#include <stdio.h>
#include <stdlib.h>

long long fake_setting(const char *name, long long otherwise)
{
    const char *value = getenv(name);

    return value ? strtoll(value, NULL, 10) : otherwise;
}

static void note(const char *call, const char *detail)
{
    static FILE *log;
    const char *path = getenv("FAKE_LOG");

    if (!log && path) {
        log = fopen(path, "a");
        if (log)
            fputs("process\n", log);
    }
    if (log) {
        fprintf(log, "%s%s%s\n", call, detail[0] ? " " : "", detail);
        fflush(log);
    }
}

CUresult fake_enter(const char *call, const char *detail)
{
    static long long calls;
    const long long fail = fake_setting("FAKE_FAIL", 0);

    note(call, detail);
    calls++;
    if (calls == fail || (fail && calls > fail && fake_setting("FAKE_FAIL_ON", 0)))
        return (CUresult)fake_setting("FAKE_FAIL_CODE", CUDA_ERROR_ILLEGAL_ADDRESS);
    return CUDA_SUCCESS;
}

void fake_misuse(const char *call, const char *what)
{
    fprintf(stderr, "fake driver: %s: %s\n", call, what);
    abort();
}
