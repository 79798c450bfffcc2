/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The settings of a mock and the profiles of devices, as text and as files, with message buffers of
 * any size; and the creation of a mock from them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cushim/testing/mock.h>

#include "loader/versions.h"
#include "src/layer/mock_interface.h"
#include "src/mock/config/settings.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/folder.h"

/* Check the code of a parser, and the message of a refusal. */
static void check_answer(CUresult code, const char *message, size_t size, const char *where)
{
    CLAIM(code == CUDA_SUCCESS || code == CUDA_ERROR_INVALID_VALUE ||
          code == CUDA_ERROR_FILE_NOT_FOUND);
    CLAIM(fuzz_is_closed(message, size));
    if (code == CUDA_ERROR_INVALID_VALUE && size > 256 && where[0] == 's') {
        const size_t length = strlen(where);
        unsigned line = 0, column = 0;

        /* If a profile lacks a required key, the message names the profile's file. */
        CLAIM(message[0]);
        if (strncmp(message, where, length) == 0 && message[length] == ':')
            CLAIM(sscanf(message + length, ":%u:%u: ", &line, &column) == 2 && line && column);
    }
}

static void check_profile(const struct mock_profile *profile)
{
    CLAIM(profile->name[0] && fuzz_is_closed(profile->name, sizeof profile->name));
    CLAIM(profile->driver_version >= 10000 && profile->driver_version % 10 == 0);
    CLAIM(profile->memory_bytes >= (size_t)1 << 20 && profile->memory_bytes <= (size_t)1 << 40);
}

/* Parsed values are within the bounds that docs/mock.md states. */
static void check_settings(const struct mock_settings *settings)
{
    CLAIM(settings->devices <= MOCK_DEVICES_MAX);
    CLAIM(settings->driver_version >= 10000 && settings->driver_version <= CUSHIM__NEWEST_VERSION);
    CLAIM(settings->concurrent_kernels >= 1 && settings->concurrent_kernels <= 1024);
    CLAIM(settings->mode <= MOCK_MODE_THREADED && settings->schedule <= MOCK_SCHEDULE_RANDOM);
    CLAIM(settings->driver_state <= MOCK_DRIVER_VERSION_MISMATCH);
    CLAIM(settings->races <= MOCK_RACES_KERNELS);
    CLAIM(settings->fault_count <= CUSHIM__FAULT_RULES);
    CLAIM(settings->costs.host_to_device_bytes_per_us && settings->costs.device_bytes_per_us);
    CLAIM(settings->costs.device_to_host_bytes_per_us && settings->costs.peer_bytes_per_us);
    CLAIM(settings->costs.set_bytes_per_us);
    check_profile(&settings->profile);
}

static void check_description(const struct mock_settings *settings, const char *expected)
{
    for (size_t size = 1; size < 64; size += 7) {
        char *text = fuzz_memory(size);

        cushim__mock_settings_describe(settings, text, size);
        CLAIM(fuzz_is_closed(text, size));
        CLAIM(strncmp(text, expected, strlen(text)) == 0);
        free(text);
    }
}

/*
 * Parse with a message buffer of this size. The description (empty if refused) must be the same
 * each time.
 */
static CUresult read_text(const char *text, const char *path, size_t size, char *described,
                          size_t described_size)
{
    struct mock_settings settings;
    char *message = fuzz_memory(size);
    CUresult code;

    memset(message, 'z', size);
    described[0] = '\0';
    CLAIM(cushim__mock_settings_default(&settings) == CUDA_SUCCESS);
    code = path ? cushim__mock_settings_read(&settings, path, size ? message : NULL, size)
                : cushim__mock_settings_parse(&settings, text, "settings", size ? message : NULL,
                                              size);
    check_answer(code, message, size, path ? path : "settings");
    if (code == CUDA_SUCCESS) {
        check_settings(&settings);
        cushim__mock_settings_describe(&settings, described, described_size);
        check_description(&settings, described);
    }
    cushim__mock_settings_free(&settings);
    free(message);
    return code;
}

/* The result does not depend on the size of the message buffer. */
static CUresult check_text(const char *text, const char *path)
{
    static const size_t sizes[] = {0, 1, 9, 40};
    char first[1024], again[1024];
    const size_t size = sizes[strlen(text) % (sizeof sizes / sizeof sizes[0])];
    const CUresult code = read_text(text, path, 512, first, sizeof first);

    CLAIM(read_text(text, path, size, again, sizeof again) == code);
    CLAIM(strcmp(first, again) == 0);
    return code;
}

/* A mock can be created from valid settings only; it may also lack memory of the machine. */
static void check_mock(const char *text, CUresult expected)
{
    char message[300] = "";
    const struct cushim_mock_options options = {.size = sizeof options,
                                                .settings = text,
                                                .message = message,
                                                .message_size = sizeof message};
    struct cushim_mock *mock = NULL;
    const CUresult code = cushim_mock_create(&options, &mock);

    CLAIM(code == expected || (expected == CUDA_SUCCESS && code == CUDA_ERROR_OUT_OF_MEMORY));
    CLAIM((mock != NULL) == (code == CUDA_SUCCESS));
    CLAIM(code == CUDA_SUCCESS || code == CUDA_ERROR_OUT_OF_MEMORY || message[0]);
    if (mock)
        CLAIM(cushim_mock_destroy(mock) == CUDA_SUCCESS);
}

static void check_file(const char *text, const uint8_t *data, size_t size)
{
    const char *path = folder_write("input.profile", data, size);
    struct mock_settings settings;
    char message[300], profile[300];
    CUresult code;

    CLAIM(cushim__mock_settings_default(&settings) == CUDA_SUCCESS);
    snprintf(profile, sizeof profile, "profile = %s", path);
    code = cushim__mock_settings_parse(&settings, profile, path, message, sizeof message);
    check_answer(code, message, sizeof message, path);
    if (code == CUDA_SUCCESS)
        check_settings(&settings);
    cushim__mock_settings_free(&settings);
    check_text(text, path);
    remove(path);
}

static void remove_folder(void)
{
    folder_remove(NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool has_folder;
    struct fuzz_input input = {data, size};
    char *text = fuzz_text(&input);

    if (!has_folder && folder_create(NULL) == 0)
        has_folder = atexit(remove_folder) == 0;
    if (!fuzz_names_device(text)) {
        check_mock(text, check_text(text, NULL));
        if (strstr(text, "schema"))
            check_file(text, data, size);
    }
    free(text);
    return 0;
}
