/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files, and forked children that do not start the program again: statement 9, and cushim's
 * modules.
 */
#define _GNU_SOURCE
#include "system.h"

#include <dlfcn.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"
#include "tests/support/counters.h"
#include "tests/support/verdict.h"

_Static_assert((int)FILE_PATH_BYTES >= PATH_MAX, "realpath() writes as much");

const char file_of_the_driver[] = "libcuda.so.1";

bool file_absolute(const char *path, char absolute[FILE_PATH_BYTES])
{
    return realpath(path, absolute) != NULL;
}

bool file_of(const void *symbol, char absolute[FILE_PATH_BYTES])
{
    Dl_info info;

    return dladdr(symbol, &info) != 0 && file_absolute(info.dli_fname, absolute);
}

bool file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

const char *file_write(const void *bytes, size_t size)
{
    static char path[64];
    int file;

    snprintf(path, sizeof path, "%s/cushim-conformance-XXXXXX", file_folder());
    file = mkstemp(path);
    if (file < 0 || write(file, bytes, size) != (ssize_t)size)
        fail("%s cannot be written", path);
    close(file);
    return path;
}

const char *file_folder(void)
{
    return "/tmp";
}

const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* The results in a forked child. */
struct forked {
    CUresult init, count, create;
    bool untouched; /* whether the output of EventCreate() is unchanged */
};

/* Fork, and call `act` in the child. Returns the child's wait status. */
static int do_in_fork(void (*act)(void *data, int end), void *data, void *met, size_t size)
{
    int ends[2], status = 0;
    pid_t child;

    if (pipe(ends) != 0 || (child = fork()) < 0)
        fail("a child cannot be created");
    if (child == 0) {
        alarm(120); /* ends a child that hangs */
        act(data, ends[1]);
        counters_write();
        _exit(0);
    }
    close(ends[1]);
    memset(met, 0xff, size);
    if (read(ends[0], met, size) < 0)
        fail("the child's output cannot be read");
    close(ends[0]);
    if (waitpid(child, &status, 0) != child)
        fail("the child's end cannot be awaited");
    return status;
}

/* Send results from the child to its parent. */
static void answer(int end, const void *met, size_t size)
{
    if (write(end, met, size) != (ssize_t)size)
        _exit(1);
}

static void begin_anew(void *data, int end)
{
    CUevent made = data;
    struct forked met;
    int devices = 0;

    memset(&met, 0, sizeof met); /* also sets the padding */
    met.init = cu->Init(0);
    met.count = cu->DeviceGetCount(&devices);
    met.create = cu->EventCreate(&made, 0);
    met.untouched = made == data;
    answer(end, &met, sizeof met);
}

static void query_inherited(void *data, int end)
{
    CUresult code = cu->EventQuery(data);

    answer(end, &code, sizeof code);
}

MEASURED_CASE(009, forked_child_is_not_initialised)
{
    struct forked met;
    CUevent event = begin_done();

    EQUAL(0, do_in_fork(begin_anew, event, &met, sizeof met));
    CODE(CUDA_ERROR_NOT_INITIALIZED, met.init);
    CODE(CUDA_ERROR_NOT_INITIALIZED, met.count);
    CODE(CUDA_ERROR_NOT_INITIALIZED, met.create);
    CHECK(met.untouched);
    OK(cu->EventQuery(event)); /* nothing has changed in the parent */
    OK(cu->EventDestroy_v2(event));
}

static void ask_in_child(void *data, int end)
{
    struct arguments answers;

    (void)data;
    arguments_ask(&answers);
    answer(end, &answers, sizeof answers);
}

MEASURED_CASE(209, wrong_arguments_come_first_in_a_forked_child)
{
    struct arguments answers;

    begin_context();
    EQUAL(0, do_in_fork(ask_in_child, NULL, &answers, sizeof answers));
    arguments_check(&answers, CUDA_ERROR_NOT_INITIALIZED);
}

MEASURED_CASE(009, inherited_event_is_undefined)
{
    CUresult code;
    CUevent event = begin_done();
    int status = do_in_fork(query_inherited, event, &code, sizeof code);

    if (WIFSIGNALED(status)) {
        detail("signal %d", WTERMSIG(status));
        CHECK(!backend_is_mock());
        EQUAL(SIGSEGV, WTERMSIG(status));
    } else {
        ONE_OF(code, CUDA_SUCCESS, CUDA_ERROR_NOT_INITIALIZED);
    }
    OK(cu->EventQuery(event));
}

/* The results of cushim's objects in a child. */
struct inherited {
    struct cushim_context *context;
    struct cushim_stream *stream;
    struct cushim_event *event;
};

/*
 * In the child: uses of the inherited objects are refused, and releasing them is allowed. The child
 * makes its own assertions.
 */
static void use_inherited_objects(void *data, int end)
{
    const struct inherited *inherited = data;
    struct cushim_event *made = NULL;
    int count = -5;

    (void)end;
    CODE(CUDA_ERROR_NOT_INITIALIZED, backend_init_cushim());
    CODE(CUDA_ERROR_NOT_INITIALIZED, cushim_driver()->DeviceGetCount(&count));
    CODE(CUDA_ERROR_NOT_INITIALIZED, cushim_event_create(inherited->context, NULL, &made));
    CODE(CUDA_ERROR_NOT_INITIALIZED, cushim_event_query(inherited->event));
    CODE(CUDA_ERROR_NOT_INITIALIZED, cushim_event_record(inherited->event, inherited->stream));
    OK(cushim_event_release(inherited->event));
    OK(cushim_stream_release(inherited->stream));
    OK(cushim_context_release(inherited->context));
    check_peer_end();
}

CUSHIM_CASE(driver_refuses_a_forked_child)
{
    struct inherited inherited = {.context = retain_primary()};
    char nothing;

    inherited.stream = create_stream(inherited.context);
    inherited.event = create_event(inherited.context);
    MUST(cushim_event_record(inherited.event, inherited.stream));
    MUST(cushim_event_synchronize(inherited.event));
    EQUAL(0, do_in_fork(use_inherited_objects, &inherited, &nothing, sizeof nothing));
    OK(cushim_event_record(inherited.event, inherited.stream)); /* the parent is unchanged */
    OK(cushim_event_synchronize(inherited.event));
    OK(cushim_event_release(inherited.event));
    OK(cushim_stream_release(inherited.stream));
    OK(cushim_context_release(inherited.context));
}
