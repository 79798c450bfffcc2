/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process whose system calls are filtered, as in a sandbox: if the table cannot be made
 * read-only, the load succeeds and the report says so.
 *
 * tests/unit/load_test.c shows that the tables are read-only if nothing is forbidden, and
 * tests/out_of_memory/system_test.py that a load ends whatever call is forbidden.
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

/* The route of a load, and its result if nothing is forbidden. */
enum route { ROUTE_NAMED, ROUTE_SEARCH, ROUTE_RESOLVER, ROUTE_NONE, ROUTE_COUNT };

struct visit {
    enum route route;
    int error; /* of the call that would seal a table */
};

#define WORD(field) (uint32_t) offsetof(struct seccomp_data, field)

/* The bytes of a table that the library seals. */
static uint32_t sealed_bytes(void)
{
    const uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE);

    return (sizeof(struct cushim_table) + page - 1) / page * page;
}

/*
 * Let mprotect() fail that would seal a table, by a BPF program for seccomp. On these machines, the
 * low half of an argument comes first.
 */
static bool forbid_sealing(int error)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, WORD(nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 5),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, WORD(args[1])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, sealed_bytes(), 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, WORD(args[2])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PROT_READ, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {.len = COUNT(filter), .filter = filter};

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

    check(forbid_sealing(visit->error));
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

TEST_ALONE(load_works_where_no_table_can_be_sealed_and_the_report_reports)
{
    static const int errors[] = {EPERM, ENOMEM, ENOSYS, EACCES};

    for (enum route route = 0; route < ROUTE_COUNT; route++) {
        for (size_t i = 0; i < COUNT(errors); i++, tried++) {
            const struct visit visit = {route, errors[i]};

            assert_true(child_passes("unsealed", load_unsealed, &visit));
        }
    }
}

/* Tests the filter itself. */
static void see_the_filter(const void *data)
{
    check(forbid_sealing(EDOM));
    check(mprotect(NULL, sealed_bytes(), PROT_READ) == -1 && errno == EDOM);
}

static int report(void **state)
{
    fprintf(stderr, "filtered system calls: %u loads tried, 0 crashed, 0 lost\n", tried);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return EXIT_FAILURE;
    driver = argv[1];
    if (!child_passes("filter", see_the_filter, NULL)) {
        puts("skipped: this system has no filters for system calls");
        return SKIPPED;
    }
    return run_all_tests(NULL, report);
}
