/* SPDX-License-Identifier: Apache-2.0 */
/* Interprocess events: their state is in a piece of shared memory, which the 64 bytes lead to. */
#define _GNU_SOURCE
#include "event.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char handle_mark[8] = "simevent";

/* What travels in the 64 bytes. */
struct ticket {
    char mark[sizeof handle_mark];
    int process;
    int file; /* of that process */
};
_Static_assert(sizeof(struct ticket) <= sizeof(CUipcEventHandle), "the handle is opaque bytes");

void driver_event_share(CUevent event)
{
    /* Without a name, so that nothing stays behind whatever becomes of this process. */
    event->file = memfd_create("simulated-event", MFD_CLOEXEC);
    if (event->file < 0 || ftruncate(event->file, sizeof *event->shared) != 0)
        driver_violation("shared memory cannot be had");
    event->shared =
        mmap(NULL, sizeof *event->shared, PROT_READ | PROT_WRITE, MAP_SHARED, event->file, 0);
    if (event->shared == MAP_FAILED)
        driver_violation("shared memory cannot be mapped");
}

void driver_events_unshare(void)
{
    for (struct driver_object *object = driver_objects(); object; object = object->next) {
        CUevent event = (CUevent)object;

        if (object->kind != DRIVER_EVENT)
            continue;
        free(event->record);
        event->record = NULL;
        if (event->shared)
            munmap(event->shared, sizeof *event->shared);
        if (event->shared && !event->imported)
            close(event->file);
    }
}

CUresult CUDAAPI cuIpcGetEventHandle(CUipcEventHandle *handle, CUevent event)
{
    struct ticket ticket = {.process = (int)getpid()};
    CUcontext context;
    CUresult code;

    if (!handle || !event)
        return CUDA_ERROR_INVALID_VALUE;
    code = driver_current(&context);
    if (code == CUDA_SUCCESS)
        code = driver_check(&event->object, DRIVER_EVENT);
    if (code != CUDA_SUCCESS)
        return code;
    if (!event->shared || event->imported)
        return CUDA_ERROR_INVALID_HANDLE;
    memcpy(ticket.mark, handle_mark, sizeof ticket.mark);
    ticket.file = event->file;
    memset(handle, 0, sizeof *handle);
    memcpy(handle, &ticket, sizeof ticket);
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuIpcOpenEventHandle(CUevent *event, CUipcEventHandle handle)
{
    CUcontext context;
    CUresult code = driver_current(&context);
    struct ticket ticket;
    char path[64];
    CUevent made;
    int file;

    if (code != CUDA_SUCCESS)
        return code;
    if (!event)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(&ticket, &handle, sizeof ticket);
    if (memcmp(ticket.mark, handle_mark, sizeof ticket.mark) != 0)
        return CUDA_ERROR_MAP_FAILED;
    if (ticket.process == getpid())
        return CUDA_ERROR_INVALID_CONTEXT;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", ticket.process, ticket.file);
    file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0)
        return CUDA_ERROR_MAP_FAILED;
    made = calloc(1, sizeof *made);
    if (!made)
        driver_violation("the host has no memory");
    made->flags = CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
    made->imported = true;
    made->shared = mmap(NULL, sizeof *made->shared, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (made->shared == MAP_FAILED)
        driver_violation("shared memory cannot be mapped");
    pthread_mutex_lock(&driver_lock);
    driver_add(&made->object, DRIVER_EVENT, context);
    pthread_mutex_unlock(&driver_lock);
    *event = made;
    return CUDA_SUCCESS;
}
