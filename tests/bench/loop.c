/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One loop, and the ways to reach the driver: LINKED to it, by HEADER, or through the table. It is a
 * plugin's (see host.c), or a PROGRAM of its own: program TURNS; prints the processor time of a turn
 * in ns.
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

/* By itself, and its turns in a row: what is counted and timed is this. */
__attribute__((noinline)) static int query(CUevent event, unsigned turns)
{
    int failed = 0;

    for (unsigned i = 0; i < turns; i++)
        failed |= (int)CALL(EventQuery)(event);
    return failed;
}

/*
 * Query an event so often, and write the processor time of one query in ns: 0 if every call
 * succeeded, else what they answered. The event is a real one: of the first device's primary
 * context, and never recorded, so it is done. A plugin exports it.
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
    query(event, turns < 1000 ? turns : 1000); /* the way is found once */
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
