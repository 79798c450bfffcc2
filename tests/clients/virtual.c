/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory as two kinds of programs use it: an allocator whose segments grow in place, as in PyTorch,
 * and processes that share memory by descriptors, as in NCCL and UCX. It opens libcuda.so.1 itself,
 * and prints the code of each call in order, and whether the bytes are right. It prints no address,
 * so that a GPU and the mock give the same output.
 *
 * Exit status: 0 done; 1 no driver, or a symbol is missing.
 */
#define _GNU_SOURCE
#define __CUDA_API_VERSION_INTERNAL /* declares each function under its exported name */
#include <cuda.h>

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 2 << 20, PAGES = 16 };

/* Call a function of the driver, which is looked up for each call. */
#define CALL(name, ...) say(#name, ((__typeof__(&name))symbol(#name))(__VA_ARGS__))

static void *library;
static const char *who = "";

static void say(const char *what, CUresult code)
{
    printf("%s%s %d\n", who, what, (int)code);
}

static void is(const char *what, int truth)
{
    printf("  %s%s %s\n", who, what, truth ? "yes" : "no");
}

static void (*symbol(const char *name))(void)
{
    void (*function)(void);

    *(void **)&function = dlsym(library, name);
    if (function)
        return function;
    fprintf(stderr, "the driver has no %s\n", name);
    exit(1);
}

static void begin(void)
{
    CUcontext context;
    CUdevice device;

    library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library) {
        fprintf(stderr, "no driver: %s\n", dlerror());
        exit(1);
    }
    CALL(cuInit, 0);
    CALL(cuDeviceGet, &device, 0);
    CALL(cuDevicePrimaryCtxRetain, &context, device);
    CALL(cuCtxSetCurrent, context);
}

static CUmemAllocationProp properties(CUmemAllocationHandleType types)
{
    CUmemAllocationProp property;

    memset(&property, 0, sizeof property);
    property.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    property.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    property.requestedHandleTypes = types;
    return property;
}

static void allow(CUdeviceptr start, size_t bytes)
{
    CUmemAccessDesc access;

    memset(&access, 0, sizeof access);
    access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    CALL(cuMemSetAccess, start, bytes, &access, 1);
}

static int holds(CUdeviceptr start, size_t bytes, unsigned char value)
{
    unsigned char *host = malloc(bytes);
    int right = 1;

    CALL(cuMemcpyDtoH_v2, host, start, bytes);
    for (size_t i = 0; i < bytes; i++)
        right &= host[i] == value;
    free(host);
    return right;
}

/* --- a segment that grows --- */

static CUdeviceptr segment;

/* Map new memory into pages of the segment. */
static void grow(int first, int end)
{
    const CUmemAllocationProp property = properties(CU_MEM_HANDLE_TYPE_NONE);
    CUmemGenericAllocationHandle handle;

    for (int page = first; page < end; page++) {
        CALL(cuMemCreate, &handle, PAGE, &property, 0);
        CALL(cuMemMap, segment + (size_t)page * PAGE, PAGE, 0, handle, 0);
        CALL(cuMemRelease, handle);
    }
    allow(segment + (size_t)first * PAGE, (size_t)(end - first) * PAGE);
}

static void expand_segments(void)
{
    const CUmemAllocationProp property = properties(CU_MEM_HANDLE_TYPE_NONE);
    size_t granularity = 0;
    CUdeviceptr copy;
    CUstream stream;

    CALL(cuMemGetAllocationGranularity, &granularity, &property, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
    is("pages of 2 MiB", granularity == PAGE);
    CALL(cuMemAddressReserve, &segment, (size_t)PAGES * PAGE, 0, 0, 0);
    CALL(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
    grow(0, 2);
    CALL(cuMemsetD8Async, segment, 1, 2 * PAGE, stream);
    grow(2, 3);
    /* One tensor lies in old and in new pages. */
    CALL(cuMemsetD8Async, segment + PAGE, 2, 2 * PAGE, stream);
    CALL(cuMemAlloc_v2, &copy, 3 * PAGE);
    CALL(cuMemcpyDtoDAsync_v2, copy, segment, 3 * PAGE, stream);
    CALL(cuStreamSynchronize, stream);
    is("the first page is as it was", holds(copy, PAGE, 1));
    is("the others are new", holds(copy + PAGE, 2 * PAGE, 2));
    CALL(cuMemUnmap, segment + PAGE, PAGE);
    is("the last page stays", holds(segment + 2 * PAGE, PAGE, 2));
    grow(1, 2);
    CALL(cuMemsetD8Async, segment, 3, 3 * PAGE, stream);
    CALL(cuStreamSynchronize, stream);
    is("all pages are one again", holds(segment, 3 * PAGE, 3));
    CALL(cuMemUnmap, segment, 3 * PAGE);
    CALL(cuMemAddressFree, segment, (size_t)PAGES * PAGE);
    CALL(cuMemFree_v2, copy);
    CALL(cuStreamDestroy_v2, stream);
}

/* --- memory of two processes --- */

/* A message has one byte, and a descriptor. */
struct message {
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
    char byte;
    struct iovec part;
    struct msghdr head;
};

static void lay_out(struct message *message)
{
    memset(message, 0, sizeof *message);
    message->part = (struct iovec){.iov_base = &message->byte, .iov_len = 1};
    message->head = (struct msghdr){.msg_iov = &message->part,
                                    .msg_iovlen = 1,
                                    .msg_control = message->control,
                                    .msg_controllen = sizeof message->control};
}

static void send_to(int socket, int file)
{
    struct message message;
    struct cmsghdr *rights;

    lay_out(&message);
    rights = CMSG_FIRSTHDR(&message.head);
    rights->cmsg_len = CMSG_LEN(sizeof file);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    memcpy(CMSG_DATA(rights), &file, sizeof file);
    if (sendmsg(socket, &message.head, 0) != 1)
        exit(1);
}

static int receive_from(int socket)
{
    struct message message;
    int file;

    lay_out(&message);
    if (recvmsg(socket, &message.head, 0) != 1)
        exit(1);
    memcpy(&file, CMSG_DATA(CMSG_FIRSTHDR(&message.head)), sizeof file);
    return file;
}

static void import(int socket)
{
    CUmemGenericAllocationHandle handle;
    CUdeviceptr memory;
    const int file = receive_from(socket);

    who = "child: ";
    begin();
    CALL(cuMemImportFromShareableHandle, &handle, (void *)(intptr_t)file,
         CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    close(file);
    CALL(cuMemAddressReserve, &memory, 2 * PAGE, 0, 0, 0);
    CALL(cuMemMap, memory, 2 * PAGE, 0, handle, 0);
    CALL(cuMemRelease, handle);
    allow(memory, 2 * PAGE);
    is("the memory has come", holds(memory, 2 * PAGE, 4));
    CALL(cuMemsetD8_v2, memory, 5, PAGE);
    CALL(cuCtxSynchronize, );
    CALL(cuMemUnmap, memory, 2 * PAGE);
    CALL(cuMemAddressFree, memory, 2 * PAGE);
    fflush(stdout);
}

static void share(int socket, pid_t process)
{
    const CUmemAllocationProp property = properties(CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    CUmemGenericAllocationHandle handle;
    CUdeviceptr memory;
    int file = -1, status = 1;

    CALL(cuMemCreate, &handle, 2 * PAGE, &property, 0);
    CALL(cuMemAddressReserve, &memory, 2 * PAGE, 0, 0, 0);
    CALL(cuMemMap, memory, 2 * PAGE, 0, handle, 0);
    allow(memory, 2 * PAGE);
    CALL(cuMemsetD8_v2, memory, 4, 2 * PAGE);
    CALL(cuMemExportToShareableHandle, &file, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
    CALL(cuCtxSynchronize, );
    fflush(stdout);
    send_to(socket, file);
    close(file);
    waitpid(process, &status, 0);
    is("the child has ended", status == 0);
    is("it has written a page", holds(memory, PAGE, 5));
    is("and left the other", holds(memory + PAGE, PAGE, 4));
    CALL(cuMemUnmap, memory, 2 * PAGE);
    CALL(cuMemRelease, handle);
    CALL(cuMemAddressFree, memory, 2 * PAGE);
}

int main(void)
{
    int ends[2];
    pid_t process;

    /* A process that has initialised the driver must not use it in children. */
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0 || (process = fork()) < 0)
        return 1;
    close(ends[process == 0 ? 0 : 1]);
    if (process == 0) {
        import(ends[1]);
        return 0;
    }
    begin();
    expand_segments();
    share(ends[0], process);
    return 0;
}
