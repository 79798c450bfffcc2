/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/check/cases.h"

#include <stdio.h>

#include "tests/check/answers.h"
#include "tests/check/order_objects.h"

const struct check_case *const check_lists[] = {
    check_handle_cases,  check_destroyed_cases,
    check_memory_cases,  check_pending_cases,
    check_error_cases,   check_context_cases,
    check_capture_cases, check_promise_cases,
    check_leak_cases,    NULL,
};

const char check_image[] = ".version 6.0\n"
                           ".target sm_50\n"
                           ".address_size 64\n"
                           ".visible .entry cushim_spin(.param .u64 ns)\n{\n"
                           "    .reg .u64 %most, %start, %now, %took;\n"
                           "    .reg .pred %early;\n"
                           "    ld.param.u64 %most, [ns];\n"
                           "    mov.u64 %start, %globaltimer;\n"
                           "again:\n"
                           "    mov.u64 %now, %globaltimer;\n"
                           "    sub.u64 %took, %now, %start;\n"
                           "    setp.lt.u64 %early, %took, %most;\n"
                           "    @%early bra again;\n"
                           "    ret;\n}\n"
                           ".visible .entry cushim_fault()\n{\n"
                           "    .reg .u64 %address;\n"
                           "    .reg .u32 %value;\n"
                           "    mov.u64 %address, 16;\n"
                           "    mov.u32 %value, 1;\n"
                           "    st.global.u32 [%address], %value;\n"
                           "    ret;\n}\n";

const char *check_case_settings(const struct check_case *one, bool is_misuse)
{
    static char settings[200];
    const int length = snprintf(settings, sizeof settings, "level = advice\nleaks = %s\n%s",
                                one->needs & CASE_LEAKS ? "on" : "off",
                                one->needs & CASE_PROMISE ? "promise = 12.2\n" : "");

    if (is_misuse)
        snprintf(settings + length, sizeof settings - (size_t)length, "expect = %s:1\n%s", one->id,
                 one->needs & CASE_LOST ? "expect = CUSHIM-error-sticky:1\n" : "");
    return settings;
}

void check_case_run(const struct check_case *one, bool is_misuse)
{
    if (one->needs & CASE_OBJECTS)
        order_make();
    (is_misuse ? one->bug : one->right)();
    if ((one->needs & CASE_OBJECTS) && !(is_misuse && one->needs & CASE_LOST))
        order_leave();
}
