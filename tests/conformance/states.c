/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Print what each function of a driver returns before cuInit, in a host function, after a sticky
 * error, in a forked child, and while a stream is captured. A test compares the states in
 * loader/registry/effects.tsv with the output:
 *
 *     states LIBRARY [FIRST] >tests/conformance/states-GPU-DRIVER.txt
 *
 * Every call has its own process, because many crash with zero arguments or change the results of
 * later calls. Handles and numbers are zero, so a stream is the default stream; each pointer refers
 * to memory. A row has a function and its code in each state; `init` first has its code with NULL
 * pointers. `x` is a crash, and `h` a call that does not return. Per-thread twins are left out.
 * FIRST is the first slot. The order of the rows varies.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cushim/cushim.h>

#include "loader/symbols.h"
#include "tests/support/calls.h"
#include "tests/support/ptx.h"

enum { CRASHED = -1, HANGS = -2, SECONDS = 20, MOST_JOBS = 64, EXIT_NOT_READY = 3 };

static const char image[] = PTX_HEAD PTX_FAULT;
static char memory[CUSHIM_CALL_BYTES];
static void *pointer = memory; /* the pointer that a call gets for each pointer parameter */
static const struct cushim_table *cu;
static int results[2]; /* the pipe to the parent */

/* --- in a process of its own --- */

static void must(CUresult code)
{
    if (code != CUDA_SUCCESS)
        _exit(EXIT_NOT_READY);
}

static void report(unsigned slot)
{
    const int code = (int)cushim_calls[slot](cu, pointer);

    _exit(write(results[1], &code, sizeof code) == sizeof code ? 0 : EXIT_NOT_READY);
}

static void CUDA_CB report_in_callback(void *data)
{
    report(*(unsigned *)data);
}

static void begin(void)
{
    CUcontext context;
    CUdevice device;

    must(cu->Init(0));
    must(cu->DeviceGet(&device, 0));
    must(cu->DevicePrimaryCtxRetain(&context, device));
    must(cu->CtxSetCurrent(context));
}

static void before_init(unsigned slot)
{
    report(slot);
}

static void in_callback(unsigned slot)
{
    begin();
    must(cu->LaunchHostFunc(NULL, report_in_callback, &slot));
    cu->CtxSynchronize();
    pause();
}

static void after_sticky_error(unsigned slot)
{
    CUmodule module;
    CUfunction function;

    begin();
    must(cu->ModuleLoadData(&module, image));
    must(cu->ModuleGetFunction(&function, module, "cushim_fault"));
    must(cu->LaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    if (cu->CtxSynchronize() == CUDA_SUCCESS)
        _exit(EXIT_NOT_READY);
    report(slot);
}

static void after_fork(unsigned slot)
{
    pid_t child;

    begin();
    child = fork();
    if (child == 0) {
        alarm(SECONDS);
        report(slot);
    }
    waitpid(child, NULL, 0);
    _exit(0);
}

static void in_capture(unsigned slot)
{
    CUstream stream;

    begin();
    must(cu->StreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    must(cu->StreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    report(slot);
}

/* In the order of the columns. */
static const struct {
    const char *name;
    void (*run)(unsigned slot);
} states[] = {
    {"init", before_init}, {"callback", in_callback}, {"sticky", after_sticky_error},
    {"fork", after_fork},  {"capture", in_capture},
};
enum { BEFORE_INIT, STATES = sizeof states / sizeof *states };

/* --- the parent --- */

static int run(unsigned state, unsigned slot)
{
    int code = CRASHED, status;
    pid_t child;

    if (pipe(results) != 0)
        exit(1);
    child = fork();
    if (child == 0) {
        alarm(SECONDS);
        states[state].run(slot);
        _exit(EXIT_NOT_READY);
    }
    close(results[1]);
    waitpid(child, &status, 0);
    if (read(results[0], &code, sizeof code) != sizeof code) {
        if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
            code = HANGS;
        else if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NOT_READY)
            exit(fprintf(stderr, "the state %s cannot be made\n", states[state].name) > 0);
    }
    close(results[0]);
    return code;
}

static void print_code(int code)
{
    if (code == CRASHED || code == HANGS)
        putchar(code == CRASHED ? 'x' : 'h');
    else
        printf("%d", code);
}

/* Each job prints one in `jobs` functions, so the output must be sorted. */
static void run_job(unsigned first, unsigned jobs)
{
    for (unsigned slot = first; slot < cushim_call_count; slot += jobs) {
        if (cushim__symbols[slot].flags & CUSHIM__PER_THREAD)
            continue;
        printf("%s", cushim__slot_name(slot));
        for (unsigned state = 0; state < STATES; state++) {
            printf(" %s=", states[state].name);
            if (state == BEFORE_INIT) {
                pointer = NULL;
                print_code(run(state, slot));
                putchar(',');
                pointer = memory;
            }
            print_code(run(state, slot));
        }
        putchar('\n');
        fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const unsigned jobs = processors < 1           ? 1
                          : processors < MOST_JOBS ? (unsigned)processors
                                                   : MOST_JOBS;
    struct cushim_load_options options = CUSHIM_LOAD_OPTIONS_INIT;
    unsigned first = argc == 3 ? (unsigned)atoi(argv[2]) : 0;
    int status, failed = 0;

    if (argc < 2 || argc > 3)
        return fprintf(stderr, "usage: states LIBRARY [FIRST]\n"), 2;
    options.library = argv[1];
    if (cushim_driver_load(&options) != CUDA_SUCCESS)
        return fprintf(stderr, "states: %s is no driver\n", argv[1]), 1;
    cu = cushim_driver();
    for (unsigned job = 0; job < jobs; job++) {
        fflush(stdout);
        if (fork() == 0) {
            run_job(first + job, jobs);
            _exit(0);
        }
    }
    while (wait(&status) > 0)
        failed |= status;
    return failed != 0;
}
