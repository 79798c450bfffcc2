/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process whose system calls are filtered, as in a sandbox. If the table cannot be made
 * read-only, the load succeeds and the report says so; if a call that the load needs is forbidden,
 * the report says so, too.
 *
 * tests/unit/load_test.c shows that the tables are read-only if nothing is forbidden.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cushim/cushim.h>

#include "loader/report.h"
#include "tests/support/child.h"
#include "tests/support/cmocka.h"
#include "tests/support/environment.h"

enum { SKIPPED = 77 };

static const char *driver;
static unsigned tried;

/*
 * A system call that returns an error. For mprotect(), either only the call that seals a table, or
 * every call.
 */
struct fault {
    const char *name;
    int number, error;
    bool is_seal;
};

/* The route of a load, and its result if nothing is forbidden. */
enum route { ROUTE_NAMED, ROUTE_SEARCH, ROUTE_RESOLVER, ROUTE_NONE, ROUTE_COUNT };

struct visit {
    enum route route;
    struct fault fault;
};

#define WORD(field) (uint32_t) offsetof(struct seccomp_data, field)

/* A BPF program for seccomp; on these machines, the low half of an argument comes first. */
static bool forbid(const struct fault *fault)
{
    const uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE);
    const uint32_t sealed = (sizeof(struct cushim_table) + page - 1) / page * page;
    const uint32_t allow = SECCOMP_RET_ALLOW;
    const uint32_t refuse = SECCOMP_RET_ERRNO | (uint32_t)fault->error;
    struct sock_filter any[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, WORD(nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)fault->number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, refuse),
        BPF_STMT(BPF_RET | BPF_K, allow),
    };
    struct sock_filter seal[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, WORD(nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)fault->number, 0, 5),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, WORD(args[1])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, sealed, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, WORD(args[2])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PROT_READ, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, refuse),
        BPF_STMT(BPF_RET | BPF_K, allow),
    };
    const struct sock_fprog program = {
        .len = (unsigned short)(fault->is_seal ? COUNT(seal) : COUNT(any)),
        .filter = fault->is_seal ? seal : any,
    };

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static CUresult CUDAAPI answer(void)
{
    return CUDA_ERROR_NOT_READY;
}

static CUresult CUDAAPI report_version(int *version)
{
    *version = 13000;
    return CUDA_SUCCESS;
}

static cushim_function resolve(const char *symbol, void *data)
{
    (void)data;
    if (strcmp(symbol, "cuDriverGetVersion") == 0)
        return (cushim_function)report_version;
    return strcmp(symbol, "cuGetProcAddress_v2") == 0 ? NULL : (cushim_function)answer;
}

static CUresult load(enum route route)
{
    struct cushim_load_options options = {.size = sizeof options};

    environment_set("CUSHIM_LIBRARY", route == ROUTE_NONE ? "none" : NULL);
    if (route == ROUTE_NAMED)
        options.library = driver;
    if (route == ROUTE_RESOLVER)
        options.resolver = resolve;
    return cushim_driver_load(&options);
}

/* Write the same byte again; if the table is read-only, the process crashes. */
static void write_into_the_current_table(void)
{
    volatile unsigned char *byte = (unsigned char *)(uintptr_t)cushim_driver() + 64;

    *byte = *byte;
}

/* The state after a search is not checked, because the machine may have a driver. */
static void load_unsealed(const void *data)
{
    const struct visit *visit = data;
    struct cushim_report report;
    static char text[1 << 16];
    CUresult code;

    check(forbid(&visit->fault));
    code = load(visit->route);
    cushim__report_get(&report);
    check_int(code, report.code);
    if (visit->route != ROUTE_SEARCH)
        check_int(report.state,
                  visit->route == ROUTE_NONE ? CUSHIM_STATE_DISABLED : CUSHIM_STATE_LOADED);
    if (code != CUDA_SUCCESS)
        check_int(cushim_driver()->EventQuery(NULL), code);
    check(report.table_writable);
    check(cushim_report_write_text(text, sizeof text) < sizeof text);
    check(strstr(text, "\nwritable "));
    check(cushim_report_write_json(text, sizeof text) < sizeof text);
    check(strstr(text, "\"table_writable\": true"));
    write_into_the_current_table();
}

static void load_works_where_no_table_can_be_sealed_and_the_report_reports(void **state)
{
    static const int errors[] = {EPERM, ENOMEM, ENOSYS, EACCES};

    (void)state;
    for (enum route route = 0; route < ROUTE_COUNT; route++) {
        for (size_t i = 0; i < COUNT(errors); i++, tried++) {
            const struct visit visit = {route, {"mprotect", SYS_mprotect, errors[i], true}};

            assert_true(child_passes("unsealed", load_unsealed, &visit));
        }
    }
}

/* The load ends, and the report and a call through the table give the same reason. */
static void load_or_say_why(const void *data)
{
    const struct visit *visit = data;
    struct cushim_report report;
    char text[8192];
    CUresult code;

    check(forbid(&visit->fault));
    code = load(visit->route);
    check(code == CUDA_SUCCESS || code == CUDA_ERROR_SHARED_OBJECT_INIT_FAILED ||
          code == CUDA_ERROR_OUT_OF_MEMORY);
    cushim__report_get(&report);
    check(code == CUDA_ERROR_OUT_OF_MEMORY || (CUresult)report.code == code);
    check(report.reason[0]);
    check(cushim_report_write_text(text, sizeof text) > 0);
    check(cushim_driver()->EventQuery);
    if (code == CUDA_ERROR_SHARED_OBJECT_INIT_FAILED)
        check_int(cushim_driver()->EventQuery(NULL), code);
}

static void load_ends_whatever_call_is_forbidden(void **state)
{
    static const struct fault faults[] = {
        {"mprotect", SYS_mprotect, 0, false},
        {"mmap", SYS_mmap, 0, false},
        {"munmap", SYS_munmap, 0, false},
        {"openat", SYS_openat, 0, false},
        {"close", SYS_close, 0, false},
        {"read", SYS_read, 0, false},
        {"pread64", SYS_pread64, 0, false},
        {"fstat", SYS_fstat, 0, false},
        {"newfstatat", SYS_newfstatat, 0, false},
        {"faccessat", SYS_faccessat, 0, false},
        {"gettid", SYS_gettid, 0, false},
        {"getpid", SYS_getpid, 0, false},
        {"brk", SYS_brk, 0, false},
        {"futex", SYS_futex, 0, false},
#if defined(SYS_access)
        {"access", SYS_access, 0, false},
        {"stat", SYS_stat, 0, false},
#endif
    };
    static const int errors[] = {EPERM, ENOSYS, ENOMEM, EINTR};
    unsigned failures = 0;

    (void)state;
    for (enum route route = 0; route < ROUTE_COUNT; route++) {
        for (size_t i = 0; i < COUNT(faults); i++) {
            for (size_t k = 0; k < COUNT(errors); k++, tried++) {
                struct visit visit = {route, faults[i]};
                char title[64];

                visit.fault.error = errors[k];
                snprintf(title, sizeof title, "%s answers %d, route %d", faults[i].name, errors[k],
                         (int)route);
                failures += !child_passes(title, load_or_say_why, &visit);
            }
        }
    }
    assert_int_equal(failures, 0);
}

/* Tests the filter itself. */
static void see_the_filter(const void *data)
{
    const struct fault fault = {"getppid", SYS_getppid, EDOM, false};

    (void)data;
    check(forbid(&fault));
    check(syscall(SYS_getppid) == -1 && errno == EDOM);
}

static int report(void **state)
{
    (void)state;
    fprintf(stderr, "filtered system calls: %u loads tried, 0 crashed, 0 lost\n", tried);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(load_works_where_no_table_can_be_sealed_and_the_report_reports),
        cmocka_unit_test(load_ends_whatever_call_is_forbidden),
    };

    if (argc != 2)
        return EXIT_FAILURE;
    driver = argv[1];
    if (!child_passes("filter", see_the_filter, NULL)) {
        puts("skipped: this system has no filters for system calls");
        return SKIPPED;
    }
    return cmocka_run_group_tests(tests, NULL, report);
}
