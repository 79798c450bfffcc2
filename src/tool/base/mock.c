/* SPDX-License-Identifier: Apache-2.0 */
#include "src/tool/base/mock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cushim/driver.h>
#include <cushim/testing/mock.h>

#include "src/mock/config/settings.h"
#include "src/tool/base/output.h"

_Static_assert((int)MOCK_ATTRIBUTES == (int)MOCK_ATTRIBUTES_MAX &&
                   (int)MOCK_LIMITS == (int)MOCK_LIMITS_MAX &&
                   (int)MOCK_NAME_BYTES == (int)MOCK_TEXT_SIZE,
               "what a profile can say is what the mock driver reads");

static const char advice[] =
    "Read the page mock.md (share/doc/cushim/docs), which lists the settings of the mock driver.";

static struct cushim_mock *mock;

/*
 * Refuse with a message of the parser. If it begins with `:line:column: `, it is about the text
 * that `where` names.
 */
static bool refuse(struct failure *failure, const char *where, const char *message)
{
    failure_set(failure, STATUS_USAGE, advice, "%s%s", message[0] == ':' ? where : "", message);
    return false;
}

/* Check settings. Writes the mode that they choose, or a message why they are refused. */
static bool read_mode(const char *file, const char *settings, enum mock_mode *mode, char *message,
                      size_t size)
{
    struct mock_settings checked;
    CUresult code = cushim__mock_settings_default(&checked);

    snprintf(message, size, "memory ran out");
    if (code == CUDA_SUCCESS && file)
        code = cushim__mock_settings_read(&checked, file, message, size);
    if (code == CUDA_SUCCESS && settings)
        code = cushim__mock_settings_parse(&checked, settings, "", message, size);
    *mode = checked.mode;
    cushim__mock_settings_free(&checked);
    return code == CUDA_SUCCESS;
}

bool mock_is_built(void)
{
    return true;
}

char *mock_settings(const struct arguments *arguments, const char *before)
{
    static const char quiet[] = "quiet = yes\n";
    const char *settings = arguments->settings ? arguments->settings : "";
    size_t size = sizeof quiet + strlen(settings) + (before ? strlen(before) + 1 : 0);
    char *text;

    if (!arguments->settings && !arguments->quiet)
        return NULL;
    text = output_memory(size);
    snprintf(text, size, "%s%s%s%s", before ? before : "", before ? "\n" : "", settings,
             arguments->quiet ? quiet : "");
    return text;
}

/* Check the command line's settings. Messages omit line numbers: the user has written no lines. */
static bool check_options(const struct arguments *arguments, struct failure *failure)
{
    char message[CUSHIM_REPORT_MESSAGE_BYTES];
    enum mock_mode mode;

    return read_mode(NULL, arguments->settings, &mode, message, sizeof message) ||
           refuse(failure, "", message[0] == ':' ? strstr(message, ": ") + 2 : message);
}

bool mock_check(const struct arguments *arguments, const char *file, const char *settings,
                const char *where, struct failure *failure)
{
    char message[CUSHIM_REPORT_MESSAGE_BYTES];
    enum mock_mode mode;

    if (!check_options(arguments, failure))
        return false;
    if (!read_mode(file, settings, &mode, message, sizeof message))
        return refuse(failure, where, message);
    if (mode == MOCK_MODE_MANUAL)
        failure_set(failure, STATUS_USAGE, advice,
                    "mode = manual has nobody to move the clock here: take auto or threaded");
    return mode != MOCK_MODE_MANUAL;
}

bool mock_open(const struct arguments *arguments, struct cushim_report *report,
               struct failure *failure)
{
    char message[CUSHIM_REPORT_MESSAGE_BYTES] = "";
    char *settings = mock_settings(arguments, NULL);
    const struct cushim_mock_options options = {
        .size = sizeof options,
        .settings = settings,
        .file = arguments->config,
        .message = message,
        .message_size = sizeof message,
    };
    struct cushim_load_options load = {.size = sizeof load, .resolver = cushim_mock_symbol};
    CUresult code = CUDA_ERROR_INVALID_VALUE;

    *report = (struct cushim_report){.code = CUDA_SUCCESS};
    if (check_options(arguments, failure))
        code = cushim_mock_create(&options, &mock);
    free(settings);
    if (code == CUDA_SUCCESS) {
        load.resolver_data = mock;
        cushim_driver_init(&load);
    }
    cushim__report_get(report);
    if (report->library[0])
        snprintf(report->library, sizeof report->library, "built in");
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
    const char *misuse = cushim_mock_misuse(mock, 0);

    if (misuse)
        failure_set(failure, STATUS_FAILED, "Report this as a bug of cushim.",
                    "The mock driver saw a misuse: %s", misuse);
    cushim_mock_destroy(mock);
    mock = NULL;
    return failure->status == STATUS_DONE;
}

const char *mock_identity(void)
{
    return mock ? cushim_mock_identity() : NULL;
}
