/* SPDX-License-Identifier: Apache-2.0 */
/* A driver whose cuCtxSynchronize waits until the host releases it. */
#include <stdatomic.h>
#include <time.h>

extern atomic_int driver_waiting, driver_released;
atomic_int driver_waiting, driver_released;

int cuInit(unsigned flags);
int cuDriverGetVersion(int *version);
int cuCtxSynchronize(void);

int cuInit(unsigned flags)
{
    (void)flags;
    return 0;
}

int cuDriverGetVersion(int *version)
{
    *version = 13000;
    return 0;
}

int cuCtxSynchronize(void)
{
    const struct timespec moment = {.tv_nsec = 1000000};

    atomic_store(&driver_waiting, 1);
    while (!atomic_load(&driver_released))
        nanosleep(&moment, NULL);
    return 7;
}
