/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One loop, and the ways to call the driver: LINKED to it, with the HEADER, or through the table.
 * It is a plugin (see host.c), or a PROGRAM of its own: program TURNS; prints the CPU time of a
 * turn in ns.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifdef LINKED
#include <cuda.h>
#define CALL(name) cu##name
#elif defined(HEADER)
#include <cushim/cuda.h>
#define CALL(name) cu##name
#else
#include <cushim/driver.h>
#define CALL(name) cushim_driver()->name
#endif

static double now_ns(void)
{
    struct timespec time;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* A function of its own without inlining: this loop is counted and timed. */
__attribute__((noinline)) static int query(CUevent event, unsigned turns)
{
    int failed = 0;

    for (unsigned i = 0; i < turns; i++)
        failed |= (int)CALL(EventQuery)(event);
    return failed;
}

/*
 * Query an event `turns` times, and write the CPU time of one query in ns. Returns 0 if every call
 * succeeded, or the driver's code. The event belongs to the first device's primary context and was
 * never recorded, so it is complete. A plugin exports this function.
 */
int loop(unsigned turns, double *ns);

int loop(unsigned turns, double *ns)
{
    CUcontext context;
    CUevent event;
    double start;
    int failed = (int)CALL(Init)(0);

    if (!failed)
        failed = (int)CALL(DevicePrimaryCtxRetain)(&context, 0);
    if (!failed)
        failed = (int)CALL(CtxSetCurrent)(context);
    if (!failed)
        failed = (int)CALL(EventCreate)(&event, 0);
    if (failed)
        return failed;
    query(event, turns < 1000 ? turns : 1000); /* first calls, for lazy binding or loading */
    start = now_ns();
    failed = query(event, turns);
    *ns = (now_ns() - start) / (double)turns;
    return failed;
}

#ifdef PROGRAM
int main(int count, char **arguments)
{
    double ns = 0;
    int failed = count == 2 ? loop((unsigned)strtoul(arguments[1], NULL, 10), &ns) : 2;

    printf("%.4f\n", ns);
    return failed != 0;
}
#endif
