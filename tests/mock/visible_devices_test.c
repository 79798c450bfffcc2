/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA_VISIBLE_DEVICES: which devices the program sees (statements 3 and 83). */
#include <stdio.h>
#include <string.h>

#include <cushim/uuid.h>

#include "tests/mock/world.h"
#include "tests/support/environment.h"

/*
 * A list, and what cuInit and then cuDeviceGetCount answer: as an H200's driver does, where one is.
 */
static const struct {
    const char *list;
    CUresult code;
    int count, first;
} lists[] = {
    {"0", CUDA_SUCCESS, 1, 0},
    {"2", CUDA_SUCCESS, 1, 2},
    {"2,0", CUDA_SUCCESS, 2, 2},
    {"1,0,2", CUDA_SUCCESS, 3, 1},
    {"0,3,1", CUDA_SUCCESS, 1, 0},
    {"0,-1", CUDA_SUCCESS, 1, 0},
    {"0,garbage", CUDA_SUCCESS, 1, 0},
    {"0,,1", CUDA_SUCCESS, 1, 0},
    {"0x0", CUDA_SUCCESS, 1, 0},
    {"00", CUDA_SUCCESS, 1, 0},
    {" 1", CUDA_SUCCESS, 1, 1},
    {"1 ", CUDA_SUCCESS, 1, 1},
    {"1 junk", CUDA_SUCCESS, 1, 1},
    {"+1", CUDA_SUCCESS, 1, 1},
    {"1.0", CUDA_SUCCESS, 1, 1},
    {"1;0", CUDA_SUCCESS, 1, 1},
    {"0,0", CUDA_ERROR_INVALID_DEVICE, 0, 0},
    {"", CUDA_ERROR_NO_DEVICE, 0, 0},
    {"3", CUDA_ERROR_NO_DEVICE, 0, 0},
    {"-1,0", CUDA_ERROR_NO_DEVICE, 0, 0},
    {",0", CUDA_ERROR_NO_DEVICE, 0, 0},
    {"garbage", CUDA_ERROR_NO_DEVICE, 0, 0},
    {"NoDevFiles", CUDA_ERROR_NO_DEVICE, 0, 0},
    {"GPU-", CUDA_ERROR_NO_DEVICE, 0, 0},
    {"GPU-zz", CUDA_ERROR_NO_DEVICE, 0, 0},
    {"MIG-1", CUDA_ERROR_NO_DEVICE, 0, 0},
    {"all", CUDA_ERROR_NO_DEVICE, 0, 0},
};

static void visible_devices_are_listed_by_number(void **state)
{
    CUuuid uuids[3];

    (void)state;
    bare_begin("devices = 3");
    for (int i = 0; i < 3; i++)
        uuids[i] = bare_uuid(i);
    bare_end();
    for (size_t i = 0; i < COUNT(lists); i++) {
        int count = -5;
        bare_create("devices = 3");
        environment_set("CUDA_VISIBLE_DEVICES", lists[i].list);
        if (driver->Init(0) != lists[i].code)
            fail_msg("cuInit answers %d to the list \"%s\"", (int)driver->Init(0), lists[i].list);
        if (lists[i].code == CUDA_SUCCESS) {
            OK(driver->DeviceGetCount(&count));
            assert_int_equal(count, lists[i].count);
            assert_true(bare_same_uuid(bare_uuid(0), uuids[lists[i].first]));
        } else {
            CODE(CUDA_ERROR_NOT_INITIALIZED, driver->DeviceGetCount(&count));
        }
        bare_end();
    }
}

/* What cuInit answers to a list, and how many devices there are then. */
static CUresult init_with(const char *format, const char *text, int *count)
{
    char list[160];
    CUresult code;

    snprintf(list, sizeof list, format, text, text);
    environment_set("CUDA_VISIBLE_DEVICES", list);
    bare_create("devices = 3");
    code = driver->Init(0);
    *count = 0;
    driver->DeviceGetCount(count);
    bare_end();
    return code;
}

static void visible_devices_are_listed_by_the_beginning_of_their_uuid(void **state)
{
    char text[CUSHIM_UUID_TEXT_SIZE], upper[CUSHIM_UUID_TEXT_SIZE], lower[CUSHIM_UUID_TEXT_SIZE];
    CUuuid uuid;
    int count;

    (void)state;
    bare_begin("devices = 3");
    uuid = bare_uuid(1);
    OK(cushim_uuid_format(&uuid, text));
    bare_end();
    strcpy(upper, text);
    for (char *next = upper + 4; *next; next++)
        *next = (char)(*next >= 'a' ? *next - 'a' + 'A' : *next);
    strcpy(lower, text);
    memcpy(lower, "gpu", 3);

    assert_int_equal(init_with("%s", text, &count), CUDA_SUCCESS);
    assert_int_equal(count, 1);
    assert_int_equal(init_with("%.12s", text, &count), CUDA_SUCCESS);
    assert_int_equal(init_with("%s", upper, &count), CUDA_SUCCESS);
    assert_int_equal(init_with("%s,0", text, &count), CUDA_SUCCESS);
    assert_int_equal(count, 1);
    assert_int_equal(init_with("0,%s", text, &count), CUDA_SUCCESS);
    assert_int_equal(count, 1);
    assert_int_equal(init_with("%s,%s", text, &count), CUDA_ERROR_INVALID_DEVICE);
    assert_int_equal(init_with("%s", lower, &count), CUDA_ERROR_NO_DEVICE);
    assert_int_equal(init_with("%s0", text, &count), CUDA_ERROR_NO_DEVICE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BARE_TEST(visible_devices_are_listed_by_number),
        BARE_TEST(visible_devices_are_listed_by_the_beginning_of_their_uuid),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
