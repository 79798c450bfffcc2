/* SPDX-License-Identifier: Apache-2.0 */
/* User objects: they are destroyed once nothing holds them any more. */
#include <pthread.h>

#include "tests/mock/world.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned destroyed;

static void CUDA_CB count_destroyed(void *data)
{
    (void)data;
    pthread_mutex_lock(&lock);
    destroyed++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void wait_for_destroyed(unsigned count)
{
    pthread_mutex_lock(&lock);
    while (destroyed < count)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

static void user_object_lives_as_long_as_any_graph_holds_it(void **state)
{
    CUuserObject object;
    CUgraphExec exec;
    CUgraph holder, clone;
    const size_t handles = world_state().handles;

    (void)state;
    CODE(CUDA_ERROR_INVALID_VALUE, driver->UserObjectCreate(&object, NULL, count_destroyed, 1, 0));
    OK(driver->UserObjectCreate(&object, NULL, count_destroyed, 1,
                                CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    OK(driver->GraphCreate(&holder, 0));
    OK(driver->GraphRetainUserObject(holder, object, 2, 0));
    OK(driver->UserObjectRelease(object, 1));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphReleaseUserObject(holder, object, 0));
    OK(driver->GraphReleaseUserObject(holder, object, 1));
    OK(driver->GraphClone(&clone, holder));
    OK(driver->GraphInstantiateWithFlags(&exec, clone, 0));
    OK(driver->GraphDestroy(holder));
    OK(driver->GraphDestroy(clone));
    assert_int_equal(world_state().handles, handles + 2);
    assert_int_equal(destroyed, 0);
    OK(driver->GraphExecDestroy(exec));
    wait_for_destroyed(1);
}

/* A launch holds what its graph holds. */
static void user_object_outlives_launches_under_way(void **state)
{
    CUstream stream = world_stream(), other = world_stream();
    CUevent event = world_event();
    CUuserObject object;
    CUgraphNode node;
    CUgraphExec exec;
    CUgraph graph;

    (void)state;
    OK(driver->UserObjectCreate(&object, NULL, count_destroyed, 1,
                                CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    OK(driver->GraphCreate(&graph, 0));
    OK(driver->GraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
    OK(driver->GraphAddEmptyNode(&node, graph, NULL, 0));
    OK(driver->GraphInstantiateWithFlags(&exec, graph, 0));
    world_spin(other, 1000000000);
    OK(driver->EventRecord(event, other));
    OK(driver->StreamWaitEvent(stream, event, 0));
    OK(driver->GraphLaunch(exec, stream));
    OK(driver->GraphDestroy(graph));
    OK(driver->GraphExecDestroy(exec));
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(stream));
    OK(driver->UserObjectRetain(object, 1)); /* it is there */
    OK(driver->UserObjectRelease(object, 1));
    OK(driver->StreamSynchronize(stream));
    wait_for_destroyed(1);
    OK(driver->EventDestroy_v2(event));
    OK(driver->StreamDestroy_v2(stream));
    OK(driver->StreamDestroy_v2(other));
}

static void references_are_counted_by_whom_they_belong_to(void **state)
{
    CUuserObject object;
    CUgraph graph;
    size_t handles;

    (void)state;
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->UserObjectCreate(&object, NULL, NULL, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->UserObjectCreate(&object, NULL, count_destroyed, 0,
                                                            CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    OK(driver->UserObjectCreate(&object, NULL, count_destroyed, 2,
                                CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    OK(driver->GraphCreate(&graph, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->UserObjectRetain(object, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->UserObjectRetain(NULL, 1));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphRetainUserObject(graph, object, 0, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphRetainUserObject(graph, object, 1, 2));
    OK(driver->GraphReleaseUserObject(graph, object, 1)); /* it holds none */
    OK(driver->UserObjectRelease(object, 1));
    OK(driver->GraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
    handles = world_state().handles;
    OK(driver->GraphReleaseUserObject(graph, object, 2)); /* it holds one, and keeps it */
    assert_int_equal(world_state().handles, handles);
    OK(driver->GraphReleaseUserObject(graph, object, 1));
    wait_for_destroyed(1);
    OK(driver->GraphDestroy(graph));
}

static int begin(void **state)
{
    (void)state;
    destroyed = 0;
    world_begin("mode = auto");
    return 0;
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, world_done)
    const struct CMUnitTest tests[] = {
        CASE(user_object_lives_as_long_as_any_graph_holds_it),
        CASE(user_object_outlives_launches_under_way),
        CASE(references_are_counted_by_whom_they_belong_to),
    };

    return cmocka_run_group_tests_name("user object", tests, NULL, NULL);
}
