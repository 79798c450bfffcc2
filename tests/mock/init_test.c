/* SPDX-License-Identifier: Apache-2.0 */
/* What settings and CUDA_VISIBLE_DEVICES make of the initialisation, and names of codes. */

#include <cushim/device.h>

#include "tests/mock/fixture.h"
#include "tests/support/environment.h"

BARE_TEST(before_init_some_arguments_are_looked_at)
{
    unsigned capabilities = 5;
    int value = -5;

    bare_create(NULL);
    CODE(CUDA_ERROR_NOT_INITIALIZED,
         driver->DeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->DeviceGetHostAtomicCapabilities(&capabilities, NULL, 0, 0));
    assert_int_equal(value, -5);
    assert_int_equal(capabilities, 5);
}

BARE_TEST(settings_decide_what_init_returns)
{
    static const struct {
        const char *settings;
        CUresult code;
    } cases[] = {
        {"devices = 0", CUDA_ERROR_NO_DEVICE},
        {"driver_state = version-mismatch", CUDA_ERROR_SYSTEM_DRIVER_MISMATCH},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        int value = -5;

        bare_create(cases[i].settings);
        CODE(cases[i].code, driver->Init(0));
        CODE(cases[i].code, driver->Init(0));
        CODE(CUDA_ERROR_NOT_INITIALIZED, driver->DeviceGetCount(&value));
        OK(driver->DriverGetVersion(&value));
        assert_int_equal(value, 13000);
        bare_end();
    }
}

BARE_TEST(a_code_of_a_later_version_is_unknown)
{
    static const struct {
        const char *settings;
        bool knows_917, knows_918, knows_919;
    } versions[] = {{"driver_version = 13.0", false, false, false},
                    {"driver_version = 13.1", true, false, false},
                    {"driver_version = 13.3", true, true, false},
                    {"driver_version = 13.4", true, true, true}};

    for (size_t i = 0; i < COUNT(versions); i++) {
        const CUresult no = CUDA_ERROR_INVALID_VALUE;
        const char *text;

        bare_create(versions[i].settings);
        CODE(versions[i].knows_917 ? CUDA_SUCCESS : no, driver->GetErrorName((CUresult)917, &text));
        CODE(versions[i].knows_918 ? CUDA_SUCCESS : no,
             driver->GetErrorString((CUresult)918, &text));
        CODE(versions[i].knows_919 ? CUDA_SUCCESS : no, driver->GetErrorName((CUresult)919, &text));
        bare_end();
    }
    bare_create(NULL);
}

BARE_TEST(a_text_without_a_place_is_a_misuse)
{
    bare_create(NULL);
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GetErrorName(CUDA_SUCCESS, NULL));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GetErrorString(CUDA_SUCCESS, NULL));
    assert_non_null(cushim_mock_misuse(fixture_mock, 1));
    CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_mock_destroy(fixture_mock));
    fixture_mock = NULL;
}

/* CUDA_VISIBLE_DEVICES: which devices the program sees (statements 3 and 83). */

/*
 * A list, and the results of cuInit and cuDeviceGetCount. An H200's driver returned the same, for
 * lists that one device allows.
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

BARE_TEST(visible_devices_are_listed_by_number)
{
    CUuuid uuids[3];

    bare_begin("devices = 3");
    for (int i = 0; i < 3; i++)
        uuids[i] = bare_uuid(i);
    bare_end();
    for (size_t i = 0; i < COUNT(lists); i++) {
        int count = -5;
        bare_create("devices = 3");
        environment_set("CUDA_VISIBLE_DEVICES", lists[i].list);
        if (driver->Init(0) != lists[i].code)
            fail_msg("cuInit returns %d for the list \"%s\"", (int)driver->Init(0), lists[i].list);
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

/* The result of cuInit for a list, and the number of devices. */
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

BARE_TEST(visible_devices_are_listed_by_the_beginning_of_their_uuid)
{
    char text[CUSHIM_DEVICE_UUID_SIZE], upper[CUSHIM_DEVICE_UUID_SIZE],
        lower[CUSHIM_DEVICE_UUID_SIZE];
    CUuuid uuid;
    int count;

    bare_begin("devices = 3");
    uuid = bare_uuid(1);
    OK(cushim_device_format_uuid(&uuid, text));
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
