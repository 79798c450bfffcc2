/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of streams: what is set is what is told, and what is copied with them. */
#include <string.h>

#include "tests/mock/world.h"

static const CUstreamAttrID window = (CUstreamAttrID)1, policy = (CUstreamAttrID)3,
                            priority = (CUstreamAttrID)8, domain_map = (CUstreamAttrID)9,
                            domain = (CUstreamAttrID)10, unknown = (CUstreamAttrID)2;

static CUstreamAttrValue get(CUstream stream, CUstreamAttrID attribute)
{
    CUstreamAttrValue value;

    memset(&value, 0xff, sizeof value);
    OK(driver->StreamGetAttribute(stream, attribute, (void *)&value));
    return value;
}

static void set(CUstream stream, CUstreamAttrID attribute, CUstreamAttrValue value)
{
    OK(driver->StreamSetAttribute(stream, attribute, (void *)&value));
}

static void what_is_set_is_told(void **state)
{
    const CUstreamAttrValue a_window = {
        .accessPolicyWindow = {.num_bytes = 4096, .hitRatio = 0.5f}};
    CUstream stream;

    (void)state;
    world_begin("");
    stream = world_stream();
    set(stream, window, a_window);
    set(stream, policy, (CUstreamAttrValue){.syncPolicy = CU_SYNC_POLICY_YIELD});
    set(stream, domain_map, (CUstreamAttrValue){.memSyncDomainMap = {.default_ = 2, .remote = 3}});
    set(stream, domain, (CUstreamAttrValue){.memSyncDomain = CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE});
    assert_int_equal(get(stream, window).accessPolicyWindow.num_bytes, 4096);
    assert_int_equal(get(stream, policy).syncPolicy, CU_SYNC_POLICY_YIELD);
    assert_int_equal(get(stream, domain_map).memSyncDomainMap.default_, 2);
    assert_int_equal(get(stream, domain_map).memSyncDomainMap.remote, 3);
    assert_int_equal(get(stream, domain).memSyncDomain, CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE);
    OK(driver->StreamDestroy_v2(stream));
    world_end();
}

/* A priority beyond the range is its end, as in cuStreamCreateWithPriority. */
static void a_priority_is_within_the_range(void **state)
{
    int least, greatest, told;
    CUstream stream;

    (void)state;
    world_begin("");
    stream = world_stream();
    OK(driver->CtxGetStreamPriorityRange(&least, &greatest));
    assert_int_equal(get(stream, priority).priority, 0);
    set(stream, priority, (CUstreamAttrValue){.priority = greatest - 10});
    assert_int_equal(get(stream, priority).priority, greatest);
    OK(driver->StreamGetPriority(stream, &told));
    assert_int_equal(told, greatest);
    set(stream, priority, (CUstreamAttrValue){.priority = least + 10});
    assert_int_equal(get(stream, priority).priority, least);
    OK(driver->StreamDestroy_v2(stream));
    world_end();
}

static void what_is_wrong_is_refused(void **state)
{
    CUstreamAttrValue value = {.syncPolicy = (CUsynchronizationPolicy)9}, untouched;
    CUstream stream;

    (void)state;
    world_begin("");
    stream = world_stream();
    memset(&untouched, 7, sizeof untouched);
    set(stream, policy, (CUstreamAttrValue){.syncPolicy = CU_SYNC_POLICY_SPIN});
    CODE(CUDA_ERROR_INVALID_VALUE, driver->StreamSetAttribute(stream, policy, (void *)&value));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->StreamSetAttribute(stream, unknown, (void *)&value));
    /* The mock's own: a driver reads and writes through NULL (statement 60). */
    CODE(CUDA_ERROR_INVALID_VALUE, driver->StreamSetAttribute(stream, policy, NULL));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->StreamGetAttribute(stream, policy, NULL));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->StreamGetAttribute(stream, unknown, (void *)&untouched));
    assert_int_equal(untouched.priority, 0x07070707);
    assert_int_equal(get(stream, policy).syncPolicy, CU_SYNC_POLICY_SPIN);
    value = (CUstreamAttrValue){.memSyncDomainMap = {.default_ = 200}};
    CODE(CUDA_ERROR_INVALID_VALUE, driver->StreamSetAttribute(stream, domain_map, (void *)&value));
    value = (CUstreamAttrValue){.memSyncDomain = (CUlaunchMemSyncDomain)9};
    CODE(CUDA_ERROR_INVALID_VALUE, driver->StreamSetAttribute(stream, domain, (void *)&value));
    OK(driver->StreamDestroy_v2(stream));
    world_end();
}

static void all_are_copied(void **state)
{
    CUstream from, to;

    (void)state;
    world_begin("");
    from = world_stream();
    to = world_stream();
    set(from, policy, (CUstreamAttrValue){.syncPolicy = CU_SYNC_POLICY_SPIN});
    set(from, priority, (CUstreamAttrValue){.priority = -1});
    OK(driver->StreamCopyAttributes(to, from));
    assert_int_equal(get(to, policy).syncPolicy, CU_SYNC_POLICY_SPIN);
    assert_int_equal(get(to, priority).priority, -1);
    OK(driver->StreamDestroy_v2(from));
    OK(driver->StreamDestroy_v2(to));
    world_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_set_is_told),
        cmocka_unit_test(a_priority_is_within_the_range),
        cmocka_unit_test(what_is_wrong_is_refused),
        cmocka_unit_test(all_are_copied),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
