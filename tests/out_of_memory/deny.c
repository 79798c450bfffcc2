/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Denies a program something before its main(); the library is preloaded (LD_PRELOAD):
 *
 *     DENY=NAME:ERRNO     a system call, which then fails with this error number
 *     DENY=files:COUNT    more than COUNT open descriptors
 *     DENY=memory:BYTES   more address space than now plus BYTES
 *     DENY=file:BYTES     larger files; a write beyond the size fails
 *     DENY=killed:BYTES   the same, but the write ends the program (SIGXFSZ)
 *
 * If that fails, the program ends with status 99.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CALL(name)         \
    {                      \
#name, SYS_##name, \
    }

/*
 * The system calls of current programs and C libraries, without those that a process needs to end.
 */
static const struct {
    const char *name;
    int number;
} calls[] = {
    CALL(brk),
    CALL(mmap),
    CALL(munmap),
    CALL(mprotect),
    CALL(mremap),
    CALL(madvise),
    CALL(msync),
    CALL(mlock),
    CALL(openat),
    CALL(close),
    CALL(read),
    CALL(pread64),
    CALL(write),
    CALL(writev),
    CALL(lseek),
    CALL(fstat),
    CALL(newfstatat),
    CALL(statx),
    CALL(statfs),
    CALL(getdents64),
    CALL(readlinkat),
    CALL(faccessat),
    CALL(fcntl),
    CALL(ftruncate),
    CALL(memfd_create),
    CALL(getcwd),
    CALL(ioctl),
    CALL(pipe2),
    CALL(gettid),
    CALL(getpid),
    CALL(getuid),
    CALL(geteuid),
    CALL(prlimit64),
    CALL(getrandom),
    CALL(uname),
    CALL(sysinfo),
    CALL(clone3),
    CALL(clone),
    CALL(set_robust_list),
    CALL(sched_yield),
    CALL(nanosleep),
    CALL(clock_nanosleep),
    CALL(clock_gettime),
    CALL(sched_getaffinity),
    CALL(rt_sigaction),
    CALL(rt_sigprocmask),
    CALL(process_vm_readv),
    CALL(socket),
    CALL(connect),
    CALL(ppoll),
    CALL(dup),
    CALL(mincore),
#ifdef SYS_rseq
    CALL(rseq),
#endif
#ifdef SYS_open
    CALL(open),
    CALL(stat),
    CALL(lstat),
    CALL(access),
    CALL(readlink),
    CALL(pipe),
    CALL(poll),
    CALL(rename),
    CALL(unlink),
    CALL(getdents),
    CALL(arch_prctl),
#endif
    CALL(renameat2),
    CALL(unlinkat),
};

static _Noreturn void give_up(const char *why)
{
    fprintf(stderr, "deny: %s: %s\n", why, strerror(errno));
    _exit(99);
}

static void deny_call(const char *name, size_t length, int error)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        const struct sock_filter filter[] = {
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[i].number, 0, 1),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ((unsigned)error & SECCOMP_RET_DATA)),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        };
        const struct sock_fprog program = {sizeof filter / sizeof *filter,
                                           (struct sock_filter *)filter};

        if (strlen(calls[i].name) != length || strncmp(calls[i].name, name, length) != 0)
            continue;
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
            prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0)
            give_up("seccomp");
        return;
    }
    errno = ENOSYS;
    give_up(name);
}

static void limit(int what, rlim_t most)
{
    const struct rlimit limit = {most, most};

    if (setrlimit((__rlimit_resource_t)what, &limit) != 0)
        give_up("setrlimit");
}

static rlim_t address_space(void)
{
    char text[200] = "";
    FILE *file = fopen("/proc/self/statm", "r");

    if (!file || !fgets(text, sizeof text, file))
        give_up("/proc/self/statm");
    fclose(file);
    return strtoul(text, NULL, 10) * (rlim_t)sysconf(_SC_PAGESIZE);
}

static void list(void)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        puts(calls[i].name);
    exit(0);
}

__attribute__((constructor)) static void deny(void)
{
    const char *what = getenv("DENY"), *colon = what ? strchr(what, ':') : NULL;
    unsigned long amount;

    if (what && strcmp(what, "list") == 0)
        list();
    if (!colon)
        return;
    amount = strtoul(colon + 1, NULL, 10);
    if (strncmp(what, "files:", 6) == 0)
        limit(RLIMIT_NOFILE, amount);
    else if (strncmp(what, "memory:", 7) == 0)
        limit(RLIMIT_AS, address_space() + amount);
    else if (strncmp(what, "file:", 5) == 0 && signal(SIGXFSZ, SIG_IGN) != SIG_ERR)
        limit(RLIMIT_FSIZE, amount);
    else if (strncmp(what, "killed:", 7) == 0)
        limit(RLIMIT_FSIZE, amount);
    else
        deny_call(what, (size_t)(colon - what), (int)amount);
}
