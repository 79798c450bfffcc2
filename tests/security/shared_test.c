/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the mock shares between processes: nobody else can open it, and what another process says
 * or does to it is not followed into a crash, a device or an endless wait.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cushim/mock.h>

#include "src/mock/calls/event/ipc_event.h"
#include "src/mock/calls/event/shared_event.h"
#include "src/mock/memory/shared_file_linux.h"
#include "src/mock/memory/shared_pages.h"
#include "tests/support/descriptor.h"
#include "tests/support/folder.h"

enum { PAGE = 4096, NOBODY = 65534, PATIENCE_SECONDS = 120, MUTANTS = 20000 };

static unsigned tried, refused;
static int descriptors_before;

static int setup(void **state)
{
    (void)state;
    descriptors_before = descriptor_count();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    assert_int_equal(descriptor_count(), descriptors_before);
    return 0;
}

/* --- what the mock makes --- */

static void *share(char *pages, struct cushim__shared_pages *shared)
{
    void *moved = cushim__pages_share(pages, PAGE, shared);

    assert_non_null(moved);
    return moved;
}

static char *take_pages(void)
{
    char *pages = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    assert_true(pages != MAP_FAILED);
    return pages;
}

static void assert_is_private(int file)
{
    struct stat status;
    char path[64], target[128];
    ssize_t length;

    assert_int_equal(fstat(file, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
    assert_int_equal(status.st_uid, geteuid());
    assert_int_equal(status.st_nlink, 0); /* no folder has it */
    assert_int_equal(fcntl(file, F_GETFD), FD_CLOEXEC);
    assert_int_equal(ftruncate(file, 0), -1);
    assert_int_equal(ftruncate(file, 1 << 20), -1);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    length = readlink(path, target, sizeof target - 1);
    assert_true(length > 0);
    target[length] = '\0';
    assert_memory_equal(target, "/memfd:cushim-", 14);
}

static void memory_that_is_shared_is_the_users_alone_and_keeps_its_size(void **state)
{
    struct cushim__shared_pages shared;
    char *pages = take_pages();
    void *moved = share(pages, &shared);

    (void)state;
    assert_is_private(shared.file);
    cushim__pages_unshare(pages, moved, PAGE, &shared);
    munmap(pages, PAGE);
}

static void event_that_is_shared_is_the_users_alone_and_keeps_its_size(void **state)
{
    struct cushim__shared_event *event;
    struct cushim__shared_address address;

    (void)state;
    assert_int_equal(cushim__shared_event_create(&event), CUDA_SUCCESS);
    cushim__shared_event_address(event, &address);
    assert_is_private(address.file);
    cushim__shared_event_release(event);
}

static void keys_are_not_the_same_twice(void **state)
{
    struct cushim__shared_pages one, other;
    char *pages = take_pages(), *more = take_pages();
    void *moved = share(pages, &one), *moved_more = share(more, &other);

    (void)state;
    assert_memory_not_equal(one.key, other.key, sizeof one.key);
    cushim__pages_unshare(pages, moved, PAGE, &one);
    cushim__pages_unshare(more, moved_more, PAGE, &other);
    munmap(pages, PAGE);
    munmap(more, PAGE);
}

/* --- what another process says --- */

/* What stands at the end of shared pages, and at the start of a shared event. */
static const char tail_magic[8] = {'c', 'u', 's', 'h', 'i', 'm', 'e', 'm'};
static const char head_magic[8] = {'c', 'u', 's', 'h', 'i', 'm', 'e', 'v'};

enum { KEY = 16, EVENT_BYTES = sizeof head_magic + KEY + 8 + 448 * 8 };

static const unsigned char key[KEY] = "0123456789abcdef";

static void fill_pages(int file)
{
    assert_int_equal(pwrite(file, tail_magic, sizeof tail_magic, PAGE), sizeof tail_magic);
    assert_int_equal(pwrite(file, key, KEY, PAGE + sizeof tail_magic), KEY);
}

static void fill_event(int file, uint64_t newest)
{
    assert_int_equal(ftruncate(file, EVENT_BYTES), 0);
    assert_int_equal(pwrite(file, head_magic, sizeof head_magic, 0), sizeof head_magic);
    assert_int_equal(pwrite(file, key, KEY, sizeof head_magic), KEY);
    assert_int_equal(pwrite(file, &newest, sizeof newest, sizeof head_magic + KEY), 8);
}

static bool pages_are_found(int process, int file)
{
    struct cushim__shared_pages shared = {.process = process, .file = file};
    size_t bytes = 0;
    void *pages;

    memcpy(shared.key, key, KEY);
    pages = cushim__pages_find(&shared, &bytes);
    if (pages)
        cushim__pages_lose(pages, bytes);
    tried++;
    refused += !pages;
    return pages != NULL;
}

static bool event_is_found(int process, int file, struct cushim__shared_event **event)
{
    struct cushim__shared_address address = {.process = process, .file = file};
    CUresult code;

    memcpy(address.key, key, KEY);
    code = cushim__shared_event_open(&address, event);
    tried++;
    refused += code != CUDA_SUCCESS;
    return code == CUDA_SUCCESS;
}

static void assert_refused(int file)
{
    struct cushim__shared_event *event;

    assert_true(file >= 0);
    assert_false(pages_are_found(getpid(), file));
    assert_false(event_is_found(getpid(), file, &event));
    close(file);
}

/* The test itself: what is as it should be is taken. */
static void segment_as_the_mock_makes_one_is_taken(void **state)
{
    struct cushim__shared_event *event;
    int file = cushim__shared_file_create("cushim-test");

    (void)state;
    fill_pages(file);
    assert_true(cushim__shared_file_seal(file));
    assert_true(pages_are_found(getpid(), file));
    close(file);
    file = cushim__shared_file_create("cushim-test");
    fill_event(file, 7);
    assert_true(cushim__shared_file_seal(file));
    assert_true(event_is_found(getpid(), file, &event));
    assert_int_equal(cushim__shared_event_newest(event), 7);
    cushim__shared_event_release(event);
    close(file);
}

static int with_pages(int file)
{
    fill_pages(file);
    return file;
}

static int with_event(int file)
{
    fill_event(file, 0);
    return file;
}

/* Whoever can make it shorter can end the process that reads it. */
static void segment_that_can_be_cut_is_refused(void **state)
{
    (void)state;
    assert_refused(with_pages(cushim__shared_file_create("cushim-test")));
    assert_refused(with_event(cushim__shared_file_create("cushim-test")));
    assert_refused(with_pages(memfd_create("cushim-test", MFD_CLOEXEC)));
    assert_refused(with_pages(open(folder_path("pages"), O_RDWR | O_CREAT, 0600)));
    assert_refused(with_event(open(folder_path("event"), O_RDWR | O_CREAT, 0600)));
    folder_link("link", "pages");
    assert_refused(open(folder_path("link"), O_RDWR));
}

static void segment_of_another_user_is_refused(void **state)
{
    int file = with_pages(cushim__shared_file_create("cushim-test"));

    (void)state;
    /* A package may be built by nobody, who may give himself what is his. */
    if (geteuid() == NOBODY || fchown(file, NOBODY, NOBODY) != 0) {
        close(file);
        print_message("skipped: only root can give a file to another user\n");
        skip();
    }
    assert_true(cushim__shared_file_seal(file));
    assert_refused(file);
}

static int sealed(int file)
{
    assert_true(cushim__shared_file_seal(file));
    return file;
}

static void segment_of_a_wrong_size_or_key_is_refused(void **state)
{
    int file;

    (void)state;
    for (off_t bytes = 0; bytes < 64; bytes++) {
        file = cushim__shared_file_create("cushim-test");
        assert_int_equal(ftruncate(file, bytes), 0);
        assert_refused(sealed(file));
    }
    file = with_pages(cushim__shared_file_create("cushim-test"));
    assert_int_equal(pwrite(file, "?", 1, PAGE + sizeof tail_magic), 1);
    assert_refused(sealed(file));
    file = with_event(cushim__shared_file_create("cushim-test"));
    assert_int_equal(pwrite(file, "?", 1, sizeof head_magic), 1);
    assert_refused(sealed(file));
}

/* To open a pipe is seen by who holds its other end; to open a device may do something. */
static void what_is_no_file_is_not_even_opened(void **state)
{
    const char *path = folder_pipe("pipe");
    const int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    char events[512];
    int pipe;

    (void)state;
    assert_refused(open("/dev/zero", O_RDWR));
    assert_refused(open("/dev/null", O_RDWR));
    assert_refused(open("/", O_RDONLY | O_DIRECTORY));
    pipe = open(path, O_RDWR);
    assert_true(inotify_add_watch(watch, path, IN_OPEN) >= 0);
    assert_refused(pipe);
    assert_int_equal(read(watch, events, sizeof events), -1);
    pipe = open(path, O_RDWR); /* the watch itself sees one that is opened */
    assert_true(read(watch, events, sizeof events) > 0);
    close(pipe);
    close(watch);
}

static void numbers_that_lead_nowhere_are_refused(void **state)
{
    static const int numbers[] = {-1, 0x7fffffff, INT32_MIN, 1 << 20};
    struct cushim__shared_event *event;

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        assert_false(pages_are_found(getpid(), numbers[i]));
        assert_false(pages_are_found(numbers[i], 0));
        assert_false(event_is_found(getpid(), numbers[i], &event));
        assert_false(event_is_found(numbers[i], 0, &event));
    }
}

/* --- what another process writes --- */

static void numbers_of_a_hostile_event_do_no_harm(void **state)
{
    static const uint64_t numbers[] = {UINT64_MAX, UINT64_MAX - 1, INT64_MAX, 1};
    struct cushim__shared_event *event;

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        const int file = cushim__shared_file_create("cushim-test");
        uint64_t number;

        fill_event(file, numbers[i]);
        assert_true(cushim__shared_file_seal(file));
        assert_true(event_is_found(getpid(), file, &event));
        number = cushim__shared_event_begin(event);
        assert_true(number == numbers[i] + 1);
        cushim__shared_event_done(event, number);
        cushim__shared_event_end(event, number);
        assert_true(cushim__shared_event_done(event, number));
        cushim__shared_event_release(event);
        close(file);
    }
}

/* It would wait for the lock of each number in turn. */
static void process_that_holds_all_locks_holds_up_no_record(void **state)
{
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    const int file = cushim__shared_file_create("cushim-test");
    struct cushim__shared_event *event;
    uint64_t number;

    (void)state;
    fill_event(file, 3);
    assert_true(cushim__shared_file_seal(file));
    assert_int_equal(fcntl(file, F_OFD_SETLK, &all), 0);
    assert_true(event_is_found(getpid(), file, &event));
    number = cushim__shared_event_begin(event);
    assert_int_equal(number, 4);
    assert_false(cushim__shared_event_done(event, number));
    cushim__shared_event_end(event, number);
    assert_true(cushim__shared_event_done(event, number));
    cushim__shared_event_release(event);
    close(file);
}

/* --- handles --- */

/* Bytes of a handle that were changed at random: opened, or refused, and nothing else. */
static void handles_of_random_bytes_do_no_harm(void **state)
{
    struct cushim_mock *mock;
    const struct cushim_table *driver;
    CUcontext context;
    CUdeviceptr memory = 0, opened;
    CUipcMemHandle handle, mutant;
    CUipcEventHandle event_handle, event_mutant;
    CUevent event, found;
    unsigned seed = 1;

    (void)state;
    assert_int_equal(cushim_mock_create(NULL, &mock), CUDA_SUCCESS);
    driver = cushim_mock_table(mock);
    assert_int_equal(driver->Init(0), CUDA_SUCCESS);
    assert_int_equal(driver->DevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
    assert_int_equal(driver->CtxSetCurrent(context), CUDA_SUCCESS);
    assert_int_equal(driver->MemAlloc_v2(&memory, 5000), CUDA_SUCCESS);
    assert_int_equal(driver->IpcGetMemHandle(&handle, memory), CUDA_SUCCESS);
    assert_int_equal(driver->EventCreate(&event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING),
                     CUDA_SUCCESS);
    assert_int_equal(driver->IpcGetEventHandle(&event_handle, event), CUDA_SUCCESS);
    for (unsigned i = 0; i < MUTANTS; i++) {
        mutant = handle;
        event_mutant = event_handle;
        for (int k = 0; k < 1 + (int)(i % 4); k++) {
            seed = seed * 1103515245 + 12345;
            mutant.reserved[8 + (seed >> 16) % 56] ^= (char)(seed >> 8);
            event_mutant.reserved[(seed >> 16) % 40] ^= (char)(seed >> 8);
        }
        tried += 2;
        if (driver->IpcOpenMemHandle_v2(&opened, mutant, 1) == CUDA_SUCCESS)
            assert_int_equal(driver->IpcCloseMemHandle(opened), CUDA_SUCCESS);
        else
            refused++;
        refused += driver->IpcOpenEventHandle(&found, event_mutant) != CUDA_SUCCESS;
    }
    assert_int_equal(driver->EventDestroy_v2(event), CUDA_SUCCESS);
    assert_int_equal(driver->MemFree_v2(memory), CUDA_SUCCESS);
    assert_int_equal(driver->DevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
    assert_int_equal(cushim_mock_destroy(mock), CUDA_SUCCESS);
}

/* What a CUipcMemHandle of the mock holds. */
struct memory_handle {
    char magic[8];
    struct cushim__shared_pages shared;
    uint64_t offset, bytes;
};

/* Open it, use every byte, and close it. */
static bool memory_is_found(const struct cushim_table *driver, const struct memory_handle *known)
{
    CUipcMemHandle handle;
    CUdeviceptr opened;

    memset(&handle, 0, sizeof handle);
    memcpy(&handle, known, sizeof *known);
    tried++;
    if (driver->IpcOpenMemHandle_v2(&opened, handle, 1) != CUDA_SUCCESS) {
        refused++;
        return false;
    }
    assert_int_equal(driver->MemsetD8_v2(opened, 1, known->bytes), CUDA_SUCCESS);
    assert_int_equal(driver->CtxSynchronize(), CUDA_SUCCESS);
    assert_int_equal(driver->IpcCloseMemHandle(opened), CUDA_SUCCESS);
    return true;
}

static void part_of_shared_memory_that_is_not_in_it_is_refused(void **state)
{
    static const uint64_t numbers[] = {0,
                                       1,
                                       PAGE - 1,
                                       PAGE,
                                       PAGE + 1,
                                       PAGE + sizeof tail_magic + KEY,
                                       1u << 31,
                                       (uint64_t)1 << 32,
                                       INT64_MAX,
                                       UINT64_MAX,
                                       -(uint64_t)PAGE,
                                       -(uint64_t)PAGE + 1};
    const size_t count = sizeof numbers / sizeof numbers[0];
    struct memory_handle handle = {.magic = "cuSHIMe"};
    const struct cushim_table *driver;
    struct cushim_mock *mock;
    CUcontext context;
    int status, file = sealed(with_pages(cushim__shared_file_create("cushim-test")));
    pid_t other = fork();

    (void)state;
    if (other == 0)
        for (;;)
            pause();
    handle.magic[7] = 'm';
    handle.shared.process = (int32_t)other;
    handle.shared.file = file;
    memcpy(handle.shared.key, key, KEY);
    assert_int_equal(cushim_mock_create(NULL, &mock), CUDA_SUCCESS);
    driver = cushim_mock_table(mock);
    assert_int_equal(driver->Init(0), CUDA_SUCCESS);
    assert_int_equal(driver->DevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
    assert_int_equal(driver->CtxSetCurrent(context), CUDA_SUCCESS);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < count; k++) {
            const bool is_in = numbers[i] <= PAGE && numbers[k] > 0 && numbers[k] <= PAGE &&
                               numbers[i] + numbers[k] <= PAGE;

            handle.offset = numbers[i];
            handle.bytes = numbers[k];
            assert_int_equal(memory_is_found(driver, &handle), is_in);
        }
    }
    assert_int_equal(driver->DevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
    assert_int_equal(cushim_mock_destroy(mock), CUDA_SUCCESS);
    kill(other, SIGKILL);
    waitpid(other, &status, 0);
    close(file);
}

static int begin(void **state)
{
    alarm(PATIENCE_SECONDS);
    return folder_create(state);
}

static int report(void **state)
{
    alarm(0);
    fprintf(stderr, "segments and handles: %u tried, %u refused, 0 crashed\n", tried, refused);
    return folder_remove(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        TEST(memory_that_is_shared_is_the_users_alone_and_keeps_its_size),
        TEST(event_that_is_shared_is_the_users_alone_and_keeps_its_size),
        TEST(keys_are_not_the_same_twice),
        TEST(segment_as_the_mock_makes_one_is_taken),
        TEST(segment_that_can_be_cut_is_refused),
        TEST(segment_of_another_user_is_refused),
        TEST(segment_of_a_wrong_size_or_key_is_refused),
        TEST(what_is_no_file_is_not_even_opened),
        TEST(numbers_that_lead_nowhere_are_refused),
        TEST(numbers_of_a_hostile_event_do_no_harm),
        TEST(process_that_holds_all_locks_holds_up_no_record),
        TEST(handles_of_random_bytes_do_no_harm),
        TEST(part_of_shared_memory_that_is_not_in_it_is_refused),
    };

    return cmocka_run_group_tests(tests, begin, report);
}
