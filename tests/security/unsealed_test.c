/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A system that refuses seals: nothing is shared with other processes, the log says why, and
 * everything that existed before works as before.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cushim/table.h>
#include <cushim/testing/mock.h>

#include "tests/support/child.h"
#include "tests/support/cmocka.h"
#include "tests/support/descriptor.h"

enum { SKIPPED = 77, BYTES = 4096 };

static char logged[512];
static unsigned tried, lines;

static void keep(void *data, const char *line)
{
    lines++;
    snprintf(logged, sizeof logged, "%s", line);
}

/* A BPF program for seccomp; on these machines, the low half of an argument comes first. */
static bool forbid_seals(int error)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fcntl, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, args[1])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, F_ADD_SEALS, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {.len = COUNT(filter), .filter = filter};

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static struct cushim_mock *begin(CUdeviceptr *memory, CUevent *event)
{
    const struct cushim_mock_options options = {.size = sizeof options, .settings = "mode = auto"};
    const struct cushim_table *driver;
    struct cushim_mock *mock;
    CUcontext context;

    check_int(cushim_mock_create(&options, &mock), CUDA_SUCCESS);
    cushim_mock_set_log(mock, keep, NULL);
    driver = cushim_mock_table(mock);
    check_int(driver->Init(0), CUDA_SUCCESS);
    check_int(driver->CtxCreate_v2(&context, 0, 0), CUDA_SUCCESS);
    check_int(driver->MemAlloc_v2(memory, BYTES), CUDA_SUCCESS);
    check_int(driver->MemsetD8_v2(*memory, 7, BYTES), CUDA_SUCCESS);
    check_int(driver->EventCreate(event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING),
              CUDA_SUCCESS);
    return mock;
}

static void check_logged(const char *function, int error)
{
    check_int(lines, 1);
    check_contains(logged, function);
    check_contains(logged, "sealed");
    check_contains(logged, strerror(error));
    lines = 0;
}

/* Everything works as before the calls. */
static void check_works(const struct cushim_table *driver, CUdeviceptr memory, CUevent event)
{
    unsigned char bytes[BYTES];

    check_int(driver->MemcpyDtoH_v2(bytes, memory, BYTES), CUDA_SUCCESS);
    for (unsigned i = 0; i < BYTES; i++)
        check_int(bytes[i], 7);
    check_int(driver->EventRecord(event, NULL), CUDA_SUCCESS);
    check_int(driver->EventSynchronize(event), CUDA_SUCCESS);
}

static void share_unsealed(const void *data)
{
    const int error = *(const int *)data;
    CUipcMemHandle memory_handle, untouched;
    CUipcEventHandle event_handle;
    const struct cushim_table *driver;
    struct cushim_mock *mock;
    CUdeviceptr memory;
    CUevent event;
    int descriptors;

    mock = begin(&memory, &event);
    driver = cushim_mock_table(mock);
    memset(&memory_handle, 1, sizeof memory_handle);
    memset(&untouched, 1, sizeof untouched);
    memset(&event_handle, 1, sizeof event_handle);
    descriptors = descriptor_count();
    check(forbid_seals(error));
    for (int round = 0; round < 2; round++) {
        check_int(driver->IpcGetMemHandle(&memory_handle, memory), CUDA_ERROR_OUT_OF_MEMORY);
        check_logged("cuIpcGetMemHandle: ", error);
        check_int(driver->IpcGetEventHandle(&event_handle, event), CUDA_ERROR_OPERATING_SYSTEM);
        check_logged("cuIpcGetEventHandle: ", error);
    }
    check_int(memcmp(&memory_handle, &untouched, sizeof untouched), 0);
    check_int(memcmp(&event_handle, &untouched, sizeof event_handle), 0);
    check_int(descriptor_count(), descriptors);
    check_works(driver, memory, event);
    check_int(lines, 0);
    check_int(cushim_mock_destroy(mock), CUDA_SUCCESS);
}

TEST_ALONE(what_cannot_be_sealed_is_not_shared_and_the_log_says_why)
{
    static const int errors[] = {EPERM, EINVAL, EBUSY, ENOSYS};

    for (size_t i = 0; i < COUNT(errors); i++, tried++)
        assert_true(child_passes(strerror(errors[i]), share_unsealed, &errors[i]));
}

/* Tests the filter itself. */
static void see_the_filter(const void *data)
{
    check(forbid_seals(EDOM));
    check(fcntl(0, F_ADD_SEALS, 0) == -1 && errno == EDOM);
}

static int report(void **state)
{
    fprintf(stderr, "refused seals: %u tried, 0 lost, 0 crashed\n", tried);
    return 0;
}

int main(void)
{
    if (!child_passes("filter", see_the_filter, NULL)) {
        puts("skipped: this system has no filters for system calls");
        return SKIPPED;
    }
    return run_all_tests(NULL, report);
}
