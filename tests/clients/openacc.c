/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenACC of GCC on an NVIDIA device: data that is sent to the device comes back. clients.py builds
 * it.
 */
#include <openacc.h>
#include <stdio.h>
#include <string.h>

enum { BYTES = 70000 };

static unsigned char there[BYTES], back[BYTES];

static int differences(void)
{
    int count = 0;

    for (int i = 0; i < BYTES; i++)
        count += there[i] != back[i];
    return count;
}

static void copy(void)
{
    void *device = acc_malloc(BYTES);

    acc_memcpy_to_device(device, there, BYTES);
    acc_memcpy_from_device(back, device, BYTES);
    printf("copied, wrong %d\n", differences());
    acc_free(device);
}

static void map(void)
{
    memcpy(back, there, BYTES);
    acc_copyin(back, BYTES);
    printf("present %d\n", acc_is_present(back, BYTES));
    memset(back, 0, BYTES);
    acc_update_self(back, BYTES);
    printf("updated, wrong %d\n", differences());
    acc_delete(back, BYTES);
}

/* One queue sends, and the other one receives afterwards. */
static void queue(void)
{
    memcpy(back, there, BYTES);
    acc_copyin_async(back, BYTES, 1);
    acc_wait_async(1, 2);
    acc_wait(1);
    memset(back, 0, BYTES);
    acc_update_self_async(back, BYTES, 2);
    acc_wait(2);
    printf("queues %d apart %d\n", acc_async_test_all() + acc_async_test(1),
           acc_get_cuda_stream(1) != acc_get_cuda_stream(2));
    printf("async, wrong %d\n", differences());
    acc_delete(back, BYTES);
}

/* Kernels: a reduction over gangs and vectors, atomic operations, nested loops. */
static void compute(void)
{
    int sum = 0, count = 0, wrong = 0;
    static int sums[50];

#pragma acc parallel loop reduction(+ : sum) copyin(there)
    for (int i = 0; i < BYTES; i++)
        sum += there[i];
#pragma acc parallel loop copy(count)
    for (int i = 0; i < 1000; i++) {
#pragma acc atomic update
        count += i;
    }
#pragma acc parallel loop gang copyout(sums)
    for (int i = 0; i < 50; i++) {
        int inner = 0;

#pragma acc loop vector reduction(+ : inner)
        for (int j = 0; j < 100; j++)
            inner += i * j;
        sums[i] = inner;
    }
    for (int i = 0; i < 50; i++)
        wrong += sums[i] != i * 4950;
    printf("sum %d count %d sums, wrong %d\n", sum, count, wrong);
}

int main(void)
{
    for (int i = 0; i < BYTES; i++)
        there[i] = (unsigned char)(i * 7 + i / 256);
    printf("devices %d\n", acc_get_num_devices(acc_device_nvidia));
    if (acc_get_num_devices(acc_device_nvidia) < 1)
        return 1;
    acc_set_device_num(0, acc_device_nvidia);
    printf("name %s\n", acc_get_property_string(0, acc_device_nvidia, acc_property_name));
    printf("memory %zu\n", acc_get_property(0, acc_device_nvidia, acc_property_memory));
    copy();
    map();
    queue();
    compute();
    printf("context %d\n", acc_get_current_cuda_context() != NULL);
    acc_shutdown(acc_device_nvidia);
    puts("shut down");
    return 0;
}
