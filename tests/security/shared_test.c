/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the mock shares between processes: no other process can open it, and data from another
 * process causes no crash, no access to a device and no endless wait.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/mock/event/shared.h"
#include "src/mock/memory/pages.h"
#include "tests/security/segment.h"
#include "tests/support/cmocka.h"
#include "tests/support/folder.h"

enum { NOBODY = 65534 };

/* --- files that the mock creates --- */

static void *share(char *pages, struct mock_shared_pages *shared)
{
    void *moved = cushim__mock_pages_share(pages, SEGMENT_PAGE, shared);

    assert_non_null(moved);
    return moved;
}

static char *take_pages(void)
{
    char *pages = mmap(NULL, SEGMENT_PAGE, PROT_READ | PROT_WRITE,
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
    assert_int_equal(status.st_nlink, 0); /* no folder contains the file */
    assert_int_equal(fcntl(file, F_GETFD), FD_CLOEXEC);
    assert_int_equal(ftruncate(file, 0), -1);
    assert_int_equal(ftruncate(file, 1 << 20), -1);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    length = readlink(path, target, sizeof target - 1);
    assert_true(length > 0);
    target[length] = '\0';
    assert_memory_equal(target, "/memfd:cushim-", 14);
}

SEGMENT_TEST(memory_that_is_shared_is_the_users_alone_and_keeps_its_size)
{
    struct mock_shared_pages shared;
    char *pages = take_pages();
    void *moved = share(pages, &shared);

    assert_is_private(shared.file);
    cushim__mock_pages_unshare(pages, moved, SEGMENT_PAGE, &shared);
    munmap(pages, SEGMENT_PAGE);
}

SEGMENT_TEST(event_that_is_shared_is_the_users_alone_and_keeps_its_size)
{
    struct mock_shared_event *event;

    assert_int_equal(cushim__mock_shared_event_create(&event), CUDA_SUCCESS);
    assert_is_private(event->pages.file);
    cushim__mock_shared_event_release(event);
}

SEGMENT_TEST(keys_are_not_the_same_twice)
{
    struct mock_shared_pages one, other;
    char *pages = take_pages(), *more = take_pages();
    void *moved = share(pages, &one), *moved_more = share(more, &other);

    assert_memory_not_equal(one.key, other.key, sizeof one.key);
    cushim__mock_pages_unshare(pages, moved, SEGMENT_PAGE, &one);
    cushim__mock_pages_unshare(more, moved_more, SEGMENT_PAGE, &other);
    munmap(pages, SEGMENT_PAGE);
    munmap(more, SEGMENT_PAGE);
}

/* --- references from another process --- */

static bool pages_are_found(int process, int file)
{
    struct mock_shared_pages shared = {.process = process, .file = file};
    size_t bytes = 0;
    void *pages;

    memcpy(shared.key, segment_key, SEGMENT_KEY);
    pages = cushim__mock_pages_find(&shared, &bytes, NULL);
    if (pages)
        cushim__mock_pages_lose(pages, bytes);
    segment_tried++;
    segment_refused += !pages;
    return pages != NULL;
}

static bool event_is_found(int process, int file, struct mock_shared_event **event)
{
    struct mock_shared_pages address = {.process = process, .file = file};
    CUresult code;

    memcpy(address.key, segment_key, SEGMENT_KEY);
    code = cushim__mock_shared_event_open(&address, event);
    segment_tried++;
    segment_refused += code != CUDA_SUCCESS;
    return code == CUDA_SUCCESS;
}

static void assert_refused(int file)
{
    struct mock_shared_event *event;

    assert_true(file >= 0);
    assert_false(pages_are_found(getpid(), file));
    assert_false(event_is_found(getpid(), file, &event));
    close(file);
}

/* Tests the test: a correct segment is accepted. */
SEGMENT_TEST(segment_as_the_mock_makes_one_is_taken)
{
    struct mock_shared_event *event;
    int file = segment_create();

    segment_write_pages(file);
    segment_seal(file);
    assert_true(pages_are_found(getpid(), file));
    close(file);
    file = segment_create();
    segment_write_event(file, 7);
    segment_seal(file);
    assert_true(event_is_found(getpid(), file, &event));
    assert_int_equal(cushim__mock_shared_event_newest(event), 7);
    cushim__mock_shared_event_release(event);
    close(file);
}

/* A process that can truncate the file could crash a process that reads it. */
SEGMENT_TEST(segment_that_can_be_cut_is_refused)
{
    assert_refused(segment_write_pages(segment_create()));
    assert_refused(segment_write_event(segment_create(), 0));
    assert_refused(segment_write_pages(memfd_create("cushim-test", MFD_CLOEXEC)));
    assert_refused(segment_write_pages(open(folder_path("pages"), O_RDWR | O_CREAT, 0600)));
    assert_refused(segment_write_event(open(folder_path("event"), O_RDWR | O_CREAT, 0600), 0));
    folder_link("link", "pages");
    assert_refused(open(folder_path("link"), O_RDWR));
}

SEGMENT_TEST(segment_of_another_user_is_refused)
{
    int file = segment_write_pages(segment_create());

    /* The build may run as the user nobody, whose own file would be accepted. */
    if (geteuid() == NOBODY || fchown(file, NOBODY, NOBODY) != 0) {
        close(file);
        print_message("skipped: only root can give a file to another user\n");
        skip();
    }
    segment_seal(file);
    assert_refused(file);
}

SEGMENT_TEST(segment_of_a_wrong_size_or_key_is_refused)
{
    struct mock_shared_event *event;
    int file;

    for (off_t bytes = 0; bytes < 64; bytes++) {
        file = segment_create();
        assert_int_equal(ftruncate(file, bytes), 0);
        assert_refused(segment_seal(file));
    }
    file = segment_write_pages(segment_create());
    assert_int_equal(pwrite(file, "?", 1, SEGMENT_PAGE + SEGMENT_MAGIC), 1);
    assert_refused(segment_seal(file));
    file = segment_write_event(segment_create(), 0);
    assert_int_equal(pwrite(file, "?", 1, SEGMENT_EVENT + SEGMENT_MAGIC), 1);
    assert_refused(segment_seal(file));
    /* A file that is long enough for pages is too short for an event. */
    file = segment_seal(segment_write_pages(segment_create()));
    assert_false(event_is_found(getpid(), file, &event));
    close(file);
}

/*
 * The process at the other end would notice that a pipe is opened, and opening a device may have
 * effects.
 */
SEGMENT_TEST(what_is_no_file_is_not_even_opened)
{
    const char *path = folder_pipe("pipe");
    const int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    char events[512];
    int pipe;

    assert_refused(open("/dev/zero", O_RDWR));
    assert_refused(open("/dev/null", O_RDWR));
    assert_refused(open("/", O_RDONLY | O_DIRECTORY));
    pipe = open(path, O_RDWR);
    assert_true(inotify_add_watch(watch, path, IN_OPEN) >= 0);
    assert_refused(pipe);
    assert_int_equal(read(watch, events, sizeof events), -1);
    pipe = open(path, O_RDWR); /* shows that the watch reports an open */
    assert_true(read(watch, events, sizeof events) > 0);
    close(pipe);
    close(watch);
}

SEGMENT_TEST(numbers_that_lead_nowhere_are_refused)
{
    static const int numbers[] = {-1, 0x7fffffff, INT32_MIN, 1 << 20};
    struct mock_shared_event *event;

    for (size_t i = 0; i < 4; i++) {
        assert_false(pages_are_found(getpid(), numbers[i]));
        assert_false(pages_are_found(numbers[i], 0));
        assert_false(event_is_found(getpid(), numbers[i], &event));
        assert_false(event_is_found(numbers[i], 0, &event));
    }
}

/* --- data from another process --- */

SEGMENT_TEST(numbers_of_a_forged_event_do_no_harm)
{
    static const uint64_t numbers[] = {UINT64_MAX, UINT64_MAX - 1, INT64_MAX, 1};
    struct mock_shared_event *event;

    for (size_t i = 0; i < 4; i++) {
        const int file = segment_create();
        uint64_t number;

        segment_write_event(file, numbers[i]);
        segment_seal(file);
        assert_true(event_is_found(getpid(), file, &event));
        number = cushim__mock_shared_event_begin(event);
        assert_true(number == numbers[i] + 1);
        cushim__mock_shared_event_done(event, number);
        cushim__mock_shared_event_end(event, number);
        assert_true(cushim__mock_shared_event_done(event, number));
        cushim__mock_shared_event_release(event);
        close(file);
    }
}

/* The record would otherwise wait for the lock of each number in turn. */
SEGMENT_TEST(process_that_holds_all_locks_holds_up_no_record)
{
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    const int file = segment_create();
    struct mock_shared_event *event;
    uint64_t number;

    segment_write_event(file, 3);
    segment_seal(file);
    assert_int_equal(fcntl(file, F_OFD_SETLK, &all), 0);
    assert_true(event_is_found(getpid(), file, &event));
    number = cushim__mock_shared_event_begin(event);
    assert_int_equal(number, 4);
    assert_false(cushim__mock_shared_event_done(event, number));
    cushim__mock_shared_event_end(event, number);
    assert_true(cushim__mock_shared_event_done(event, number));
    cushim__mock_shared_event_release(event);
    close(file);
}

int main(void)
{
    return run_all_tests(segment_begin, segment_report);
}
