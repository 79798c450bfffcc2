/* SPDX-License-Identifier: Apache-2.0 */
/* The mock in forked children, also of a process that has not called cuInit, or is inside calls. */
#include <pthread.h>
#include <stdatomic.h>

#include "tests/mock/fixture.h"
#include "tests/support/child.h"

static int teardown(void **state)
{
    cushim_mock_destroy(fixture_mock);
    fixture_mock = NULL;
    return 0;
}

static void child_of_uninitialised(const void *data)
{
    CUcontext context;
    CUstream stream;

    check_int(driver->Init(0), CUDA_SUCCESS);
    check_int(driver->CtxCreate_v2(&context, 0, 0), CUDA_SUCCESS);
    check_int(driver->StreamCreate(&stream, 0), CUDA_SUCCESS);
    check_int(driver->StreamDestroy_v2(stream), CUDA_SUCCESS);
    check_int(driver->CtxDestroy_v2(context), CUDA_SUCCESS);
    check_int(cushim_mock_destroy(fixture_mock), CUDA_SUCCESS);
}

TEST_BETWEEN(child_of_a_process_that_has_not_called_cu_init_has_a_driver, NULL, teardown)
{
    bare_create(NULL);
    assert_true(child_passes("child", child_of_uninitialised, NULL));
    OK(driver->Init(0));
}

static atomic_bool stop;

static void *call_on(void *data)
{
    int number;

    while (!atomic_load(&stop))
        driver->DeviceGetCount(&number);
    return data;
}

static void child_of_busy(const void *data)
{
    int number;

    check_int(driver->DeviceGetCount(&number), CUDA_ERROR_NOT_INITIALIZED);
}

TEST_BETWEEN(fork_among_calls_of_other_threads_leaves_no_lock_behind, NULL, teardown)
{
    pthread_t threads[4];

    bare_create(NULL);
    OK(driver->Init(0));
    atomic_store(&stop, false);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, call_on, NULL), 0);
    for (int i = 0; i < 50; i++)
        assert_true(child_passes("child", child_of_busy, NULL));
    atomic_store(&stop, true);
    for (size_t i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}
