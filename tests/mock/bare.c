/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/mock/bare.h"

#include <string.h>

#include "tests/support/environment.h"

struct cushim_mock *bare;
const struct cushim_table *driver;

void bare_create(const char *settings)
{
    char message[200] = "";
    const struct cushim_mock_options options = {
        .size = sizeof options,
        .settings = settings,
        .message = message,
        .message_size = sizeof message,
    };

    if (cushim_mock_create(&options, &bare) != CUDA_SUCCESS)
        fail_msg("%s", message);
    driver = cushim_mock_table(bare);
}

void bare_begin(const char *settings)
{
    bare_create(settings);
    OK(driver->Init(0));
}

void bare_end(void)
{
    struct cushim_mock *mock = bare;

    bare = NULL;
    OK(cushim_mock_destroy(mock));
}

int bare_setup(void **state)
{
    (void)state;
    environment_set("CUDA_VISIBLE_DEVICES", NULL);
    return 0;
}

int bare_teardown(void **state)
{
    (void)state;
    cushim_mock_destroy(bare);
    bare = NULL;
    environment_set("CUDA_VISIBLE_DEVICES", NULL);
    return 0;
}

CUuuid bare_uuid(CUdevice device)
{
    CUuuid uuid;

    OK(driver->DeviceGetUuid_v2(&uuid, device));
    return uuid;
}

bool bare_same_uuid(CUuuid one, CUuuid other)
{
    return memcmp(&one, &other, sizeof one) == 0;
}
