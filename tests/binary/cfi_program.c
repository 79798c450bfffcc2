/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program with checked indirect calls: calls through the table, and one wrong call that must be
 * stopped.
 *
 *     cfi-program calls|loaded|wrong
 */
#include <stdio.h>
#include <string.h>

#ifdef TWO_FILES
#include "cushim.h"
#else
#include <cushim/cushim.h>
#endif

/* With UNCHECKED, the calls of this function are not checked, because they go to a library. */
#ifdef UNCHECKED
#define TO_THE_DRIVER __attribute__((no_sanitize("cfi-icall")))
#else
#define TO_THE_DRIVER
#endif

TO_THE_DRIVER static void call_the_table(void)
{
    const struct cushim_table *table = cushim_driver();
    unsigned int functions = 0;
    int number = -1;

    printf("DriverGetVersion %d\n", table->DriverGetVersion(&number));
    printf("Init %d\n", cushim_driver()->Init(0));
    printf("DeviceGetCount %d\n", cushim_driver()->DeviceGetCount(&number));
    /* Added by CUDA 12.4: an older driver lacks the symbol. */
    printf("ModuleGetFunctionCount %d\n",
           cushim_driver()->ModuleGetFunctionCount(&functions, NULL));
    /* The old table has forwarded its calls to the same functions. */
    printf("DriverGetVersion %d\n", table->DriverGetVersion(&number));
}

static long one(long number)
{
    return number;
}

int main(int argc, char **argv)
{
    int (*volatile wrong)(int, int) = (int (*)(int, int))one;

    if (argc < 2)
        return 2;
    if (strcmp(argv[1], "wrong") == 0) {
        printf("not stopped: %d\n", wrong(1, 2));
        return 0;
    }
    if (strcmp(argv[1], "loaded") == 0)
        printf("load %d\n", cushim_driver_load(NULL));
    call_the_table();
    return 0;
}
