/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Share an event between two processes: one records it after its work, the other waits for it.
 *
 *     cc shared_event.c $(pkg-config --cflags --libs cushim)
 *
 * An interprocess event is exported as 64 bytes, which may go to the other process by any means,
 * here by a pipe. A process that has initialised the driver must not use it in children that it
 * forks later, so the program forks first. The event must exist as long as the importer uses it, so
 * the parent waits for its child before it releases the event.
 *
 * Exit status 0, or 1 with the reason if a call fails in either process.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cushim/cushim.h>

static const char *who = "parent";

static void check(CUresult code, const char *what)
{
    if (code == CUDA_SUCCESS)
        return;
    fprintf(stderr, "%s: %s: %s.\n%s\n", who, what, cushim_error_string(code),
            cushim_error_advice(code));
    exit(1);
}

static struct cushim_context *begin(void)
{
    struct cushim_context *context = NULL;

    check(cushim_driver_init(NULL), "driver");
    check(cushim_context_retain_primary(0, &context), "context");
    return context;
}

/* The importing process. */
static int child(int from)
{
    struct cushim_context *context;
    struct cushim_event *event = NULL;
    CUipcEventHandle bytes;

    who = "child";
    if (read(from, &bytes, sizeof bytes) != sizeof bytes)
        return 1; /* the parent has printed the reason */
    context = begin();
    check(cushim_event_import(context, &bytes, &event), "import");
    check(cushim_event_synchronize_for(event, 10000000000), "the parent's work");
    printf("child: the parent's work is done\n");
    cushim_event_release(event);
    cushim_context_release(context);
    return 0;
}

/* The exporting process. */
static int parent(int to, pid_t process)
{
    const struct cushim_event_options options = {
        .size = sizeof options,
        .disable_timing = true, /* required for a shared event */
        .interprocess = true,
    };
    const size_t bytes = (size_t)256 << 20;
    struct cushim_context *context = begin();
    struct cushim_context_scope scope;
    struct cushim_stream *stream = NULL;
    struct cushim_event *event = NULL;
    CUipcEventHandle exported;
    CUdeviceptr memory = 0;
    CUstream handle = NULL;
    int status = 1;

    check(cushim_context_push(context, &scope), "context");
    check(cushim_stream_create(context, NULL, &stream), "stream");
    check(cushim_stream_get_handle(stream, &handle), "stream");
    check(cushim_event_create(context, &options, &event), "event");
    check(cushim_driver()->MemAlloc_v2(&memory, bytes), "memory");

    check(cushim_driver()->MemsetD8Async(memory, 1, bytes, handle), "work");
    check(cushim_event_record(event, stream), "record");
    check(cushim_event_export(event, &exported), "export");
    printf("parent: work queued, event exported\n");
    fflush(stdout);
    if (write(to, &exported, sizeof exported) != sizeof exported)
        perror("pipe");
    waitpid(process, &status, 0);

    check(cushim_driver()->MemFree_v2(memory), "memory");
    cushim_event_release(event);
    cushim_stream_release(stream);
    check(cushim_context_pop(&scope), "context");
    cushim_context_release(context);
    return status == 0 ? 0 : 1;
}

int main(void)
{
    int ends[2];
    pid_t process;

    if (pipe(ends) != 0 || (process = fork()) < 0) {
        perror("shared_event");
        return 1;
    }
    if (process == 0) {
        close(ends[1]);
        return child(ends[0]);
    }
    close(ends[0]);
    return parent(ends[1], process);
}
