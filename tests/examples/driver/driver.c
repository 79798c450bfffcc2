/* SPDX-License-Identifier: Apache-2.0 */
/* Initialisation, the one device, handles, and what is left of them at the end. */
#include "driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

pthread_mutex_t driver_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t driver_changed = PTHREAD_COND_INITIALIZER;

static atomic_int process; /* that called cuInit */
static struct driver_object *objects;

static const CUuuid identity = {"simulated-gpu-0"};

/* Attributes that a program may ask for; others are refused. */
static const struct {
    CUdevice_attribute attribute;
    int value;
} attributes[] = {
    {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0},
    {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 1},
    {CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 1},
    {CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, 0},
    {CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, 1},
    {CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID, 0},
    {(CUdevice_attribute)125 /* IPC_EVENT_SUPPORTED, 12.0 */, 1},
};

CUresult driver_enter(void)
{
    return atomic_load(&process) == getpid() ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

void driver_violation(const char *what)
{
    fprintf(stderr, "simulated driver: %s\n", what);
    abort();
}

void driver_add(struct driver_object *object, enum driver_kind kind, CUcontext context)
{
    object->kind = kind;
    object->life = DRIVER_ALIVE;
    object->context = context;
    object->next = objects;
    objects = object;
}

CUresult driver_check(struct driver_object *object, enum driver_kind kind)
{
    CUresult code = driver_enter();

    if (!object)
        return CUDA_ERROR_INVALID_HANDLE;
    if (code != CUDA_SUCCESS)
        return code;
    if (object->kind != kind)
        driver_violation("a handle is of another kind");
    if (object->life == DRIVER_DESTROYED)
        driver_violation("a handle is used after it was destroyed");
    return object->life == DRIVER_GONE ? CUDA_ERROR_CONTEXT_IS_DESTROYED : CUDA_SUCCESS;
}

struct driver_object *driver_objects(void)
{
    return objects;
}

CUresult CUDAAPI cuInit(unsigned flags)
{
    int none = 0;

    if (flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (!atomic_compare_exchange_strong(&process, &none, getpid()) && none != getpid())
        return CUDA_ERROR_NOT_INITIALIZED;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDriverGetVersion(int *version)
{
    if (!version)
        return CUDA_ERROR_INVALID_VALUE;
    *version = DRIVER_VERSION;
    return CUDA_SUCCESS;
}

/* A call that asks for something of a device and has a place for the answer. */
static CUresult ask_device(CUdevice device, const void *answer)
{
    CUresult code = driver_enter();

    if (code != CUDA_SUCCESS)
        return code;
    if (driver_in_host_function)
        return CUDA_ERROR_NOT_PERMITTED;
    if (!answer)
        return CUDA_ERROR_INVALID_VALUE;
    return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult CUDAAPI cuDeviceGetCount(int *count)
{
    CUresult code = ask_device(0, count);

    if (code == CUDA_SUCCESS)
        *count = 1;
    return code;
}

CUresult CUDAAPI cuDeviceGet(CUdevice *device, int ordinal)
{
    CUresult code = ask_device(ordinal, device);

    if (code == CUDA_SUCCESS)
        *device = 0;
    return code;
}

CUresult CUDAAPI cuDeviceGetName(char *name, int size, CUdevice device)
{
    CUresult code = ask_device(device, name);

    if (code == CUDA_SUCCESS)
        snprintf(name, (size_t)size, "Simulated GPU");
    return code;
}

CUresult CUDAAPI cuDeviceGetUuid(CUuuid *uuid, CUdevice device)
{
    CUresult code = ask_device(device, uuid);

    if (code == CUDA_SUCCESS)
        *uuid = identity;
    return code;
}

CUresult CUDAAPI cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
    CUresult code = ask_device(device, bytes);

    if (code == CUDA_SUCCESS)
        *bytes = (size_t)1 << 30;
    return code;
}

CUresult CUDAAPI cuDeviceGetPCIBusId(char *address, int size, CUdevice device)
{
    CUresult code = ask_device(device, address);

    if (code == CUDA_SUCCESS)
        snprintf(address, (size_t)size, "0000:01:00.0");
    return code;
}

CUresult CUDAAPI cuDeviceGetByPCIBusId(CUdevice *device, const char *address)
{
    CUresult code = ask_device(0, device);

    if (code != CUDA_SUCCESS)
        return code;
    if (!address || strcmp(address, "0000:01:00.0") != 0)
        return CUDA_ERROR_INVALID_DEVICE;
    *device = 0;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    CUresult code = ask_device(device, value);

    if (code != CUDA_SUCCESS)
        return code;
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        if (attributes[i].attribute == attribute) {
            *value = attributes[i].value;
            return CUDA_SUCCESS;
        }
    }
    return CUDA_ERROR_NOT_SUPPORTED;
}

static unsigned count_left(enum driver_kind kind, const char *noun)
{
    unsigned count = 0;

    for (const struct driver_object *object = objects; object; object = object->next) {
        if (object->kind != kind || object->life != DRIVER_ALIVE)
            continue;
        count += kind != DRIVER_STREAM || !((const struct CUstream_st *)object)->is_default;
    }
    if (count > 0)
        fprintf(stderr, "simulated driver: %u %s left\n", count, noun);
    return count;
}

/* The program ends by exit() or by returning from main(): it must have put everything back. */
__attribute__((destructor)) static void end(void)
{
    unsigned left;

    if (driver_enter() != CUDA_SUCCESS)
        return;
    pthread_mutex_lock(&driver_lock);
    left = count_left(DRIVER_EVENT, "events") + count_left(DRIVER_STREAM, "streams") +
           count_left(DRIVER_CONTEXT, "contexts") + driver_memory_left();
    if (!driver_stop_streams()) {
        fprintf(stderr, "simulated driver: work left that has not ended\n");
        left++;
    }
    driver_events_unshare();
    pthread_mutex_unlock(&driver_lock);
    if (left > 0) {
        fflush(NULL);
        _exit(DRIVER_LEFT_STATUS);
    }
    while (objects) {
        struct driver_object *object = objects;

        objects = object->next;
        free(object);
    }
}
