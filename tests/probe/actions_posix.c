/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/probe/actions.h"

/* Write the process number to a file; the test checks afterwards that the process has ended. */
static void leave_number(void)
{
    const char *path = getenv("FAKE_DRIVER_PID_FILE");
    FILE *file = path ? fopen(path, "a") : NULL;

    if (!file)
        return;
    fprintf(file, "%ld\n", (long)getpid());
    fclose(file);
}

static void hang(void)
{
    leave_number();
    for (;;)
        pause();
}

static void spin(void)
{
    for (volatile unsigned turns = 0;; turns++)
        continue;
}

static void hang_ignoring_signals(void)
{
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_IGN);
    hang();
}

static void hang_blocking_signals(void)
{
    sigset_t all;

    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    hang();
}

static void stop(void)
{
    leave_number();
    raise(SIGSTOP);
}

/* A sanitizer would report this intended fault, and end the process in its own way. */
static void fault(void)
{
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
}

static void write_nowhere(void)
{
    volatile int *volatile nowhere = NULL;

    signal(SIGSEGV, SIG_DFL);
    *nowhere = 1;
}

static void go_deeper(void)
{
    static void (*volatile again)(void) = go_deeper;
    volatile char frame[65536];

    frame[0] = frame[sizeof frame - 1] = 1;
    again();
    frame[1] = frame[0];
}

static void recurse(void)
{
    signal(SIGSEGV, SIG_DFL);
    go_deeper();
}

static void call_exit(void)
{
    exit(3);
}

static void call_quick_exit(void)
{
    _exit(4);
}

static void end_well(void)
{
    _exit(0);
}

static void print(void)
{
    static const char words[] = "cushim 4 is printed here\n";

    for (int i = 0; i < 1000; i++) {
        puts(words);
        fputs(words, stderr);
        if (write(STDOUT_FILENO, words, sizeof words - 1) < 0)
            return;
    }
    fflush(NULL);
}

static void print_everywhere(void)
{
    for (int number = 0; number < 64; number++) {
        if (write(number, "hello\n", 6) < 0)
            continue;
    }
}

static void close_all(void)
{
    for (int number = 0; number < 1024; number++)
        close(number);
}

/* Behaves like a driver that closes descriptors and opens its device files under these numbers. */
static void replace_all(void)
{
    FILE *file;

    close_all();
    for (int i = 0; i < 16; i++) {
        file = tmpfile();
        if (!file)
            return;
    }
}

static void close_all_and_hang(void)
{
    close_all();
    for (;;)
        pause();
}

/* Leave a child that keeps the parent's descriptors open. */
static void leave_child(void)
{
    if (fork() == 0)
        hang();
}

static void leave_child_and_end(void)
{
    leave_child();
    _exit(5);
}

static void leave_child_and_hang(void)
{
    leave_child();
    for (;;)
        pause();
}

static void leave_many_children(void)
{
    for (int i = 0; i < 20; i++)
        leave_child();
}

/* These three misbehave only if the command has not prepared the process properly. */
static void expect_default_signals(void)
{
    sigset_t blocked;

    sigprocmask(SIG_BLOCK, NULL, &blocked);
    for (int number = 1; number < 32; number++) {
        struct sigaction action;

        if (sigismember(&blocked, number) != 0)
            _exit(40);
        if (sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
            _exit(41);
    }
}

static void expect_own_group(void)
{
    if (getpgrp() != getpid())
        _exit(42);
}

/* Allowed are the three standard streams, and the descriptor for messages. */
static void expect_no_descriptors(void)
{
    int open = 0;

    for (int number = 0; number < 1024; number++)
        open += fcntl(number, F_GETFD) != -1;
    if (open != 4)
        _exit(43);
}

const struct fake_driver_action fake_driver_actions[] = {
    {"abort", abort},
    {"call-exit", call_exit},
    {"call-quick-exit", call_quick_exit},
    {"close-all", close_all},
    {"close-all-and-hang", close_all_and_hang},
    {"end-well", end_well},
    {"expect-default-signals", expect_default_signals},
    {"expect-no-descriptors", expect_no_descriptors},
    {"expect-own-group", expect_own_group},
    {"fault", fault},
    {"hang", hang},
    {"hang-blocking-signals", hang_blocking_signals},
    {"hang-ignoring-signals", hang_ignoring_signals},
    {"leave-child", leave_child},
    {"leave-child-and-end", leave_child_and_end},
    {"leave-child-and-hang", leave_child_and_hang},
    {"leave-many-children", leave_many_children},
    {"print", print},
    {"print-everywhere", print_everywhere},
    {"recurse", recurse},
    {"replace-all", replace_all},
    {"spin", spin},
    {"stop", stop},
    {"write-nowhere", write_nowhere},
    {NULL, NULL},
};
