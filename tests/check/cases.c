/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/check/cases.h"

#include <stdio.h>
#include <string.h>

#include "src/check/finding.h"
#include "tests/check/answers.h"
#include "tests/check/order_objects.h"
#include "tests/support/ptx.h"

const struct check_case *const check_lists[] = {
    check_handle_cases,
    check_destroyed_cases,
    check_memory_cases,
    check_pending_cases,
    check_error_cases,
    check_context_cases,
    check_capture_cases,
    check_promise_cases,
    check_leak_cases,
    check_mock_cases,
    NULL,
};

/* A kernel with a struct parameter that it does not use. */
#define PTX_UNUSED                                   \
    ".visible .entry cushim_unused(.param .u32 n,\n" \
    "    .param .align 8 .b8 box[24])\n{ ret; }\n"

const char check_image[] = PTX_HEAD PTX_SPIN PTX_FAULT PTX_UNUSED;

const char *check_case_settings(const struct check_case *one)
{
    static char settings[200];

    snprintf(settings, sizeof settings, "level = advice\nleaks = %s\n%s",
             one->needs & CASE_LEAKS ? "on" : "off",
             one->needs & CASE_PROMISE ? "promise = 12.2\n" : "");
    return settings;
}

bool check_case_is_found(const struct check_case *one)
{
    const struct cushim__finding *finding = NULL;
    unsigned found = 0, sticky = 0, others = 0;

    cushim__check_finish();
    while ((finding = cushim__finding_next(finding)) != NULL) {
        const struct cushim__check_rule *rule = &cushim__check_rules[finding->id];

        if (strcmp(rule->id, one->id) == 0)
            found++;
        else if (finding->id == CUSHIM__CHECK_ERROR_STICKY && one->needs & CASE_LOST)
            sticky++;
        else
            others += rule->level != CUSHIM__CHECK_ADVICE;
    }
    if (one->needs & CASE_LOST && strcmp(one->id, "CUSHIM-error-sticky") != 0)
        others += sticky != 1;
    return found == 1 && others == 0;
}

void check_case_run(const struct check_case *one, bool is_misuse)
{
    if (one->needs & CASE_OBJECTS)
        order_make();
    (is_misuse ? one->bug : one->right)();
    if ((one->needs & CASE_OBJECTS) && !(is_misuse && one->needs & CASE_LOST))
        order_leave();
}

void check_print_findings(void)
{
    const struct cushim__finding *finding = NULL;
    char buffer[4096];
    struct cushim__text text;

    while ((finding = cushim__finding_next(finding)) != NULL) {
        cushim__text_begin(&text, buffer, sizeof buffer);
        cushim__finding_print(&text, finding, true);
        printf("%s", buffer);
    }
}
