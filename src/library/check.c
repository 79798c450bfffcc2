/* SPDX-License-Identifier: Apache-2.0 */
/* The check that the environment asks for. */
#include <stdio.h>
#include <stdlib.h>

#include "src/base/system.h"
#include "src/check/check.h"
#include "src/library/library.h"

static char *report;

/* At once, as the next call may be the last. */
static void print(const char *text)
{
    fputs(text, stderr);
}

/* A mock that stands for the real driver leaves it to the library that calls it. */
bool cushim__library_checks(void)
{
    char *path = NULL, *driver = NULL;
    const bool is_asked = cushim__variable_said("CUSHIM_CHECK", &path) && path &&
                          cushim__variable_said("CUSHIM_DRIVER", &driver) && !driver;

    free(path);
    free(driver);
    return is_asked;
}

bool cushim__library_check(char *message, size_t size)
{
    struct cushim__check_options options = {.level = CUSHIM__CHECK_WARNING, .print = print};
    char *settings = NULL;
    bool is_done = true;

    if (!cushim__variable_said("CUSHIM_CHECK", &report) ||
        !cushim__variable_said("CUSHIM_CHECK_OPTIONS", &settings)) {
        snprintf(message, size, "there is no memory for the check");
        is_done = false;
    } else if (report) {
        options.report = report;
        options.has_leaks = cushim__layer_host != NULL;
        is_done = cushim__check_options_read(&options, settings ? settings : "",
                                             "CUSHIM_CHECK_OPTIONS", message, size) == CUDA_SUCCESS;
        if (is_done && cushim__check_begin(&options) != CUDA_SUCCESS) {
            snprintf(message, size, "there is no memory for the check");
            is_done = false;
        }
    }
    free(settings);
    return is_done;
}
