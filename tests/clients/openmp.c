/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenMP of GCC on an NVIDIA device: data that is sent to the device comes back. clients.py builds
 * it.
 */
#include <omp.h>
#include <stdio.h>
#include <string.h>

enum { SIDE = 16, BYTES = SIDE * SIDE * SIDE };

static unsigned char there[BYTES], back[BYTES];

static int differences(void)
{
    int count = 0;

    for (int i = 0; i < BYTES; i++)
        count += there[i] != back[i];
    return count;
}

/* Copy a part of a block to the device and back, in this many dimensions. */
static void copy_part(const char *what, void *device, int dimensions)
{
    const size_t cube[] = {SIDE, SIDE, SIDE}, part[] = {5, 7, 9}, from[] = {3, 2, 1};
    const size_t square[] = {SIDE * SIDE, SIDE}, *whole = dimensions == 3 ? cube : square;
    const int host = omp_get_initial_device();
    int to, fro;

    memcpy(back, there, BYTES);
    for (size_t x = 0; x < part[0]; x++)
        for (size_t y = 0; y < part[1]; y++)
            for (size_t z = 0; z < (dimensions == 3 ? part[2] : 1); z++)
                back[dimensions == 3 ? ((from[0] + x) * SIDE + from[1] + y) * SIDE + from[2] + z
                                     : (from[0] + x) * SIDE + from[1] + y] = 0;
    to = omp_target_memcpy_rect(device, there, 1, dimensions, part, from, from, whole, whole, 0,
                                host);
    fro = omp_target_memcpy_rect(back, device, 1, dimensions, part, from, from, whole, whole, host,
                                 0);
    printf("%s %d %d wrong %d\n", what, to, fro, differences());
}

static void copy_all(void)
{
    const int host = omp_get_initial_device();
    void *device = omp_target_alloc(BYTES, 0);
    int to, fro;

    printf("allocated %d\n", device != NULL);
    to = omp_target_memcpy(device, there, BYTES, 0, 0, 0, host);
    fro = omp_target_memcpy(back, device, BYTES, 0, 0, host, 0);
    printf("copied %d %d wrong %d\n", to, fro, differences());
    copy_part("rectangle", device, 2);
    copy_part("box", device, 3);
    omp_target_free(device, 0);
}

static void map(void)
{
    int present;

    memcpy(back, there, BYTES);
#pragma omp target enter data map(to : back) device(0)
    present = omp_target_is_present(back, 0);
    memset(back, 0, BYTES);
#pragma omp target update from(back) device(0)
    printf("present %d updated, wrong %d\n", present, differences());
#pragma omp target exit data map(delete : back) device(0)
    printf("left %d\n", omp_target_is_present(back, 0));
}

#pragma omp declare target
static int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
#pragma omp end declare target

/* Kernels: a reduction over teams, threads that wait for each other, calls, several dimensions. */
static void compute(void)
{
    int host = -1, sum = 0, most = 0, threads = 0, count = 0, number = 0;

#pragma omp target map(from : host)
    host = omp_is_initial_device();
#pragma omp target teams distribute parallel for reduction(+ : sum) map(to : there)
    for (int i = 0; i < BYTES; i++)
        sum += there[i];
#pragma omp target teams distribute parallel for reduction(max : most) map(to : there)
    for (int i = 0; i < BYTES; i++)
        most = there[i] > most ? there[i] : most;
#pragma omp target map(tofrom : count) map(from : threads)
#pragma omp parallel num_threads(8)
    {
#pragma omp single
        threads = omp_get_num_threads();
#pragma omp atomic
        count++;
#pragma omp barrier
#pragma omp critical
        count += 2;
    }
#pragma omp target map(from : number)
    number = fibonacci(12);
    printf("host %d sum %d most %d each %d fibonacci %d\n", host, sum, most, count / threads,
           number);
#pragma omp target teams distribute parallel for collapse(2) map(to : there) map(from : back)
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE * SIDE; j++)
            back[i * SIDE * SIDE + j] = (unsigned char)(there[i * SIDE * SIDE + j] ^ 255);
    for (int i = 0; i < BYTES; i++)
        back[i] ^= 255;
    printf("inverted, wrong %d\n", differences());
}

int main(void)
{
    for (int i = 0; i < BYTES; i++)
        there[i] = (unsigned char)(i * 7 + i / 256);
    printf("devices %d\n", omp_get_num_devices());
    if (omp_get_num_devices() < 1)
        return 1;
    copy_all();
    map();
    compute();
    return 0;
}
