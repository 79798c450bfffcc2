/* SPDX-License-Identifier: Apache-2.0 */
#include "src/tool/mock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cushim/driver.h>
#include <cushim/mock.h>

#include "src/mock/settings.h"
#include "src/tool/output.h"

static const char advice[] = "Read docs/mock.md, which lists the settings of the mock driver.";

static struct cushim_mock *mock;

/* The text of one setting; `buffer` may be NULL to learn its length. */
static size_t put_setting(char *buffer, size_t size, const struct setting *setting)
{
    const char *key = setting->option->key;

    return (size_t)snprintf(buffer, size, "%s%s%s\n", key ? key : "", key ? " = " : "",
                            setting->value);
}

/* The same key is set again later. */
static bool is_superseded(const struct arguments *arguments, size_t index)
{
    const struct setting *setting = &arguments->settings[index];

    for (size_t i = index + 1; i < arguments->setting_count; i++) {
        const struct setting *other = &arguments->settings[i];
        const char *key = setting->option->key ? setting->option->key : setting->value;
        const char *later = other->option->key ? other->option->key : other->value;
        const size_t length = strcspn(key, " \t=");
        if (length == strcspn(later, " \t=") && strncmp(key, later, length) == 0)
            return true;
    }
    return false;
}

/*
 * Refuse by a message of the parser. One that begins with `:line:column: ` is about the text that
 * `where` names: of an option, which is one line, line and column are left out.
 */
static bool refuse(struct failure *failure, const char *where, const char *message)
{
    const bool is_of_option = message[0] == ':' && where[0] == '-';

    failure_set(failure, STATUS_USAGE, advice, "%s%s%s", message[0] == ':' ? where : "",
                is_of_option ? ": " : "", is_of_option ? strstr(message, ": ") + 2 : message);
    return false;
}

bool mock_is_built(void)
{
    return true;
}

char *mock_settings(const struct arguments *arguments)
{
    static const char quiet[] = "quiet = yes\n";
    size_t size = sizeof quiet, length = 0;
    char *text;

    if (!arguments->setting_count && !arguments->quiet)
        return NULL;
    for (size_t i = 0; i < arguments->setting_count; i++)
        size += put_setting(NULL, 0, &arguments->settings[i]);
    text = output_memory(size);
    text[0] = '\0';
    for (size_t i = 0; i < arguments->setting_count; i++) {
        if (!is_superseded(arguments, i))
            length += put_setting(text + length, size - length, &arguments->settings[i]);
    }
    if (arguments->quiet)
        snprintf(text + length, size - length, "%s", quiet);
    return text;
}

bool mock_check_options(const struct arguments *arguments, struct failure *failure)
{
    for (size_t i = 0; i < arguments->setting_count; i++) {
        const struct setting *setting = &arguments->settings[i];
        const size_t size = put_setting(NULL, 0, setting) + 1;
        char *line = output_memory(size);
        bool is_right;

        put_setting(line, size, setting);
        is_right = mock_check(NULL, line, setting->option->name, failure);
        free(line);
        if (!is_right)
            return false;
    }
    return true;
}

bool mock_check(const char *file, const char *settings, const char *where, struct failure *failure)
{
    struct cushim__settings checked;
    char message[CUSHIM_REPORT_MESSAGE_BYTES] = "memory ran out";
    CUresult code = cushim__settings_default(&checked);

    if (code == CUDA_SUCCESS && file)
        code = cushim__settings_read(&checked, file, message, sizeof message);
    if (code == CUDA_SUCCESS && settings)
        code = cushim__settings_parse(&checked, settings, "", message, sizeof message);
    cushim__settings_free(&checked);
    return code == CUDA_SUCCESS || refuse(failure, where, message);
}

bool mock_open(const struct arguments *arguments, struct cushim_report *report,
               struct failure *failure)
{
    char message[CUSHIM_REPORT_MESSAGE_BYTES] = "";
    char *settings = mock_settings(arguments);
    const struct cushim_mock_options options = {
        .size = sizeof options,
        .settings = settings,
        .file = arguments->config,
        .message = message,
        .message_size = sizeof message,
    };
    struct cushim_load_options load = {.size = sizeof load, .resolver = cushim_mock_symbol};
    CUresult code = CUDA_ERROR_INVALID_VALUE;

    *report = (struct cushim_report){.size = sizeof *report};
    if (mock_check_options(arguments, failure))
        code = cushim_mock_create(&options, &mock);
    free(settings);
    if (code == CUDA_SUCCESS) {
        load.resolver_data = mock;
        cushim_init(&load);
    }
    cushim_report_get(report);
    if (failure->status != STATUS_DONE)
        return false;
    if (message[0])
        return refuse(failure, "the settings", message);
    if (!failure_check(failure, "cushim_mock_create", code))
        return false;
    if (report->state != CUSHIM_STATE_READY)
        failure_from_report(failure, report);
    return failure->status == STATUS_DONE;
}

bool mock_close(struct failure *failure)
{
    const char *violation = cushim_mock_violation(mock, 0);

    if (violation)
        failure_set(failure, STATUS_FAILED, "Report this as a bug of cushim.",
                    "The mock driver saw a violation: %s", violation);
    cushim_mock_destroy(mock);
    mock = NULL;
    return failure->status == STATUS_DONE;
}

const char *mock_identity(void)
{
    return cushim_mock_identity();
}
