/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The built-in profiles: each describes the device that it is named after, accepts PTX for that
 * device and older ones, and refuses newer PTX. Queries for facts that an incomplete profile lacks
 * are refused and logged.
 */

#include "src/mock/config/settings.h"
#include "tests/mock/fixture.h"

#define ENTRY "\n.address_size 64\n.visible .entry cushim_nothing() { ret; }\n"

static const struct profile {
    const char *name, *device;
    int major, minor;
    size_t memory;
    bool measured;
    const char *own, *newer; /* PTX for this device, and for a newer one */
} profiles[] = {
    {"h200", "NVIDIA H200", 9, 0, 150109880320, true, ".version 8.0\n.target sm_90" ENTRY,
     ".version 8.6\n.target sm_100" ENTRY},
    {"h100", "NVIDIA H100 80GB HBM3", 9, 0, 85017493504, true, ".version 8.0\n.target sm_90" ENTRY,
     ".version 8.6\n.target sm_100" ENTRY},
    {"t4", "Tesla T4", 7, 5, (size_t)16 << 30, false, ".version 6.3\n.target sm_75" ENTRY,
     ".version 7.0\n.target sm_80" ENTRY},
    {"a100", "NVIDIA A100-SXM4-40GB", 8, 0, (size_t)40 << 30, false,
     ".version 7.0\n.target sm_80" ENTRY, ".version 7.1\n.target sm_86" ENTRY},
    {"rtx4090", "NVIDIA GeForce RTX 4090", 8, 9, (size_t)24 << 30, false,
     ".version 7.8\n.target sm_89" ENTRY, ".version 8.0\n.target sm_90" ENTRY},
};

static const char compute_70[] = ".version 6.0\n.target compute_70" ENTRY;

static char logged[400];
static unsigned lines;

static void keep(void *data, const char *line)
{
    (void)data;
    snprintf(logged, sizeof logged, "%s", line);
    lines++;
}

static void begin(const struct profile *profile)
{
    char text[40];

    snprintf(text, sizeof text, "mode = auto\nprofile = %s\n", profile->name);
    fixture_begin(text);
    lines = 0;
    cushim_mock_set_log(fixture_mock, keep, NULL);
}

TEST_ALONE(these_are_all_that_are_built_in)
{
    size_t count = 0;

    for (; cushim__mock_builtin_profiles[count].name; count++)
        assert_string_equal(cushim__mock_builtin_profiles[count].name, profiles[count].name);
    assert_int_equal(count, COUNT(profiles));
}

TEST_ALONE(each_is_the_device_that_it_is_called_after)
{
    struct mock_settings settings;
    char name[64], text[64];
    int major, minor;

    for (size_t i = 0; i < COUNT(profiles); i++) {
        begin(&profiles[i]);
        OK(driver->DeviceGetName(name, sizeof name, 0));
        assert_string_equal(name, profiles[i].device);
        OK(driver->DeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0));
        OK(driver->DeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0));
        assert_int_equal(major * 10 + minor, profiles[i].major * 10 + profiles[i].minor);
        assert_int_equal(lines, 0);
        fixture_end();

        snprintf(text, sizeof text, "memory = profile\nprofile = %s\n", profiles[i].name);
        OK(cushim__mock_settings_default(&settings));
        OK(cushim__mock_settings_parse(&settings, text, "text", name, sizeof name));
        assert_true(settings.memory_bytes == profiles[i].memory);
        assert_int_equal(settings.driver_version, 13000);
        cushim__mock_settings_free(&settings);
    }
}

TEST_ALONE(ptx_is_for_this_device_or_an_older_one)
{
    CUmodule module;

    for (size_t i = 0; i < COUNT(profiles); i++) {
        begin(&profiles[i]);
        OK(driver->ModuleLoadData(&module, compute_70));
        OK(driver->ModuleUnload(module));
        OK(driver->ModuleLoadData(&module, profiles[i].own));
        OK(driver->ModuleUnload(module));
        assert_int_equal(lines, 0);
        CODE(CUDA_ERROR_INVALID_PTX, driver->ModuleLoadData(&module, profiles[i].newer));
        CONTAINS(logged, "does not run on this device, an sm_");
        fixture_end();
    }
}

TEST_ALONE(what_is_not_documented_is_refused_and_logged_once)
{
    CUdeviceptr memory;
    int value = -5;

    for (size_t i = 0; i < COUNT(profiles); i++) {
        const CUresult code = profiles[i].measured ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
        size_t limit;

        begin(&profiles[i]);
        CODE(code, driver->DeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MAX_PITCH, 0));
        CODE(code, driver->DeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MAX_PITCH, 0));
        assert_int_equal(lines, profiles[i].measured ? 0 : 1);
        if (!profiles[i].measured) {
            assert_int_equal(value, -5);
            CONTAINS(logged, "does not say what MAX_PITCH is, so the query "
                             "returns CUDA_ERROR_INVALID_VALUE; attribute.MAX_PITCH");
        }
        CODE(profiles[i].measured ? CUDA_SUCCESS : CUDA_ERROR_UNSUPPORTED_LIMIT,
             driver->CtxGetLimit(&limit, CU_LIMIT_STACK_SIZE));
        OK(driver->CtxGetLimit(&limit, CU_LIMIT_MALLOC_HEAP_SIZE));
        assert_int_equal(limit, 8 << 20);
        value = -5;
        OK(driver->MemAlloc_v2(&memory, 4096));
        OK(driver->MemFree_v2(memory));
        fixture_end();
    }
}

/* The alignment and the largest pitch of textures are not documented for these devices. */
TEST_ALONE(textures_need_no_more_than_is_documented)
{
    const CUDA_TEXTURE_DESC sampling = {.flags = CU_TRSF_READ_AS_INTEGER};
    CUDA_RESOURCE_DESC linear = {.resType = CU_RESOURCE_TYPE_LINEAR};
    CUDA_RESOURCE_DESC pitched = {.resType = CU_RESOURCE_TYPE_PITCH2D};
    CUtexObject texture;
    CUdeviceptr memory;
    CUtexref reference;
    size_t offset = 7;

    for (size_t i = 0; i < COUNT(profiles); i++) {
        begin(&profiles[i]);
        OK(driver->MemAlloc_v2(&memory, 4096));
        linear.res.linear.devPtr = pitched.res.pitch2D.devPtr = memory;
        linear.res.linear.format = pitched.res.pitch2D.format = CU_AD_FORMAT_FLOAT;
        linear.res.linear.numChannels = pitched.res.pitch2D.numChannels = 1;
        linear.res.linear.sizeInBytes = 1024;
        pitched.res.pitch2D.width = pitched.res.pitch2D.height = 8;
        pitched.res.pitch2D.pitchInBytes = 64;
        OK(driver->TexObjectCreate(&texture, &linear, &sampling, NULL));
        OK(driver->TexObjectDestroy(texture));
        OK(driver->TexObjectCreate(&texture, &pitched, &sampling, NULL));
        OK(driver->TexObjectDestroy(texture));
        OK(driver->TexRefCreate(&reference));
        OK(driver->TexRefSetAddress_v2(&offset, reference, memory, 1024));
        assert_int_equal(offset, 0);
        OK(driver->TexRefDestroy(reference));
        OK(driver->MemFree_v2(memory));
        fixture_end();
    }
}
