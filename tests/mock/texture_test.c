/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texture and surface objects, and references: their creation, and the parameters that are refused.
 */

#include "tests/mock/fixture.h"

enum { WIDTH = 8, HEIGHT = 4 };

static CUarray make_array(unsigned flags)
{
    const CUDA_ARRAY3D_DESCRIPTOR described = {.Width = WIDTH,
                                               .Height = HEIGHT,
                                               .Format = CU_AD_FORMAT_UNSIGNED_INT8,
                                               .NumChannels = 4,
                                               .Flags = flags};
    CUarray array;

    OK(driver->Array3DCreate_v2(&array, &described));
    return array;
}

static CUDA_RESOURCE_DESC of_array(CUarray array)
{
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY};

    resource.res.array.hArray = array;
    return resource;
}

static CUDA_RESOURCE_DESC of_memory(CUdeviceptr memory, size_t pitch)
{
    CUDA_RESOURCE_DESC resource = {.resType =
                                       pitch ? CU_RESOURCE_TYPE_PITCH2D : CU_RESOURCE_TYPE_LINEAR};

    if (pitch) {
        resource.res.pitch2D.devPtr = memory;
        resource.res.pitch2D.format = CU_AD_FORMAT_FLOAT;
        resource.res.pitch2D.numChannels = 1;
        resource.res.pitch2D.width = WIDTH;
        resource.res.pitch2D.height = HEIGHT;
        resource.res.pitch2D.pitchInBytes = pitch;
    } else {
        resource.res.linear.devPtr = memory;
        resource.res.linear.format = CU_AD_FORMAT_FLOAT;
        resource.res.linear.numChannels = 1;
        resource.res.linear.sizeInBytes = 1024;
    }
    return resource;
}

#define TEST(name) TEST_BETWEEN(name, fixture_auto, fixture_done)

TEST(objects_return_what_they_were_made_of)
{
    const CUDA_TEXTURE_DESC sampling = {.filterMode = CU_TR_FILTER_MODE_LINEAR,
                                        .addressMode = {CU_TR_ADDRESS_MODE_CLAMP},
                                        .flags = CU_TRSF_NORMALIZED_COORDINATES};
    const CUarray array = make_array(CUDA_ARRAY3D_SURFACE_LDST);
    const CUDA_RESOURCE_DESC resource = of_array(array);
    CUDA_RESOURCE_DESC found;
    CUDA_TEXTURE_DESC sampled;
    CUtexObject texture;
    CUsurfObject surface;

    OK(driver->TexObjectCreate(&texture, &resource, &sampling, NULL));
    OK(driver->SurfObjectCreate(&surface, &resource));
    OK(driver->TexObjectGetResourceDesc(&found, texture));
    assert_ptr_equal(found.res.array.hArray, array);
    OK(driver->TexObjectGetTextureDesc(&sampled, texture));
    assert_memory_equal(&sampled, &sampling, sizeof sampled);
    OK(driver->SurfObjectGetResourceDesc(&found, surface));
    assert_ptr_equal(found.res.array.hArray, array);
    CODE(CUDA_ERROR_INVALID_VALUE, driver->SurfObjectGetResourceDesc(&found, texture));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->TexObjectDestroy(surface));
}

TEST(impossible_resources_are_refused)
{
    const CUDA_TEXTURE_DESC sampling = {.flags = 0};
    const CUarray array = make_array(0);
    CUDA_TEXTURE_DESC wrong = sampling;
    CUDA_RESOURCE_DESC resource = of_array(array);
    CUDA_RESOURCE_VIEW_DESC view = {.width = WIDTH};
    CUtexObject texture = 77;
    CUdeviceptr memory;

    OK(driver->MemAlloc_v2(&memory, 1 << 16));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->TexObjectCreate(&texture, &resource, &sampling, &view));
    wrong.flags = 0x1000;
    CODE(CUDA_ERROR_INVALID_VALUE, driver->TexObjectCreate(&texture, &resource, &wrong, NULL));
    wrong = sampling;
    wrong.addressMode[1] = (CUaddress_mode)4;
    CODE(CUDA_ERROR_INVALID_VALUE, driver->TexObjectCreate(&texture, &resource, &wrong, NULL));
    resource.flags = 1;
    CODE(CUDA_ERROR_INVALID_VALUE, driver->TexObjectCreate(&texture, &resource, &sampling, NULL));
    resource = of_memory(memory + 4, 0);
    CODE(CUDA_ERROR_INVALID_VALUE, driver->TexObjectCreate(&texture, &resource, &sampling, NULL));
    resource = of_memory(memory, 16);
    CODE(CUDA_ERROR_INVALID_VALUE, driver->TexObjectCreate(&texture, &resource, &sampling, NULL));
    resource = of_memory(memory, 48);
    CODE(CUDA_ERROR_INVALID_VALUE, driver->TexObjectCreate(&texture, &resource, &sampling, NULL));
    resource = of_memory(memory, 0);
    resource.res.linear.numChannels = 3;
    CODE(CUDA_ERROR_INVALID_VALUE, driver->TexObjectCreate(&texture, &resource, &sampling, NULL));
    assert_int_equal(texture, 77);
    resource = of_memory(memory, 64);
    OK(driver->TexObjectCreate(&texture, &resource, &sampling, NULL));
}

TEST(references_of_arrays_and_pitched_memory)
{
    const CUarray array = make_array(0);
    const float border[4] = {0.5f, 1, 2, 3};
    CUDA_ARRAY_DESCRIPTOR described = {
        .Width = WIDTH, .Height = HEIGHT, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1};
    CUdeviceptr memory, address;
    CUarray found;
    CUarray_format format;
    CUtexref own;
    float got[4];
    int channels;

    OK(driver->MemAlloc_v2(&memory, 4096));
    OK(driver->TexRefCreate(&own));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->TexRefGetArray(&found, own));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->TexRefSetArray(own, array, 0));
    OK(driver->TexRefSetArray(own, array, CU_TRSA_OVERRIDE_FORMAT));
    OK(driver->TexRefGetArray(&found, own));
    assert_ptr_equal(found, array);
    CODE(CUDA_ERROR_INVALID_VALUE, driver->TexRefGetAddress_v2(&address, own));
    OK(driver->TexRefGetFormat(&format, &channels, own));
    assert_int_equal(format, CU_AD_FORMAT_UNSIGNED_INT8);
    assert_int_equal(channels, 4);
    OK(driver->TexRefSetAddress2D_v3(own, &described, memory, 64));
    OK(driver->TexRefGetAddress_v2(&address, own));
    assert_int_equal(address, memory);
    CODE(CUDA_ERROR_INVALID_VALUE, driver->TexRefGetArray(&found, own));
    described.NumChannels = 3;
    CODE(CUDA_ERROR_INVALID_VALUE, driver->TexRefSetAddress2D_v3(own, &described, memory, 64));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->TexRefSetFormat(own, CU_AD_FORMAT_FLOAT, 3));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->TexRefSetFilterMode(own, (CUfilter_mode)2));
    OK(driver->TexRefSetBorderColor(own, (float *)border));
    OK(driver->TexRefGetBorderColor(got, own));
    assert_memory_equal(got, border, sizeof border);
    OK(driver->TexRefDestroy(own));
}
