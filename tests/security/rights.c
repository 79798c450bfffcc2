/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that may be installed with privileges; it prints what the environment has influenced.
 *
 *     rights           loads the driver through the library, and prints its path; with an argument,
 *                      prints the report instead
 *     rights-stubs     the same with the driver's own names, through the stubs
 *     rights-mock      contains the mock, and prints the number of its devices
 *
 * Macros of the compilation select one of these.
 */
#include <stdio.h>

#include <sys/auxv.h>

#include <cushim/cushim.h>
#if defined(RIGHTS_MOCK)
#include <cushim/testing/mock.h>
#endif

static void print_words(const char *who, const char *what)
{
    printf("%s %s %s\n", getauxval(AT_SECURE) ? "secure" : "plain", who, what);
}

#if defined(RIGHTS_MOCK)

int main(void)
{
    struct cushim_mock *mock;
    char number[16];
    int count = -1;

    if (cushim_mock_create(NULL, &mock) != CUDA_SUCCESS)
        return 1;
    cushim_mock_table(mock)->Init(0);
    cushim_mock_table(mock)->DeviceGetCount(&count);
    snprintf(number, sizeof number, "%d", count);
    print_words("mock", number);
    cushim_mock_destroy(mock);
    return 0;
}

#else

int main(int count, char **words)
{
    struct cushim_report *report;
    struct cushim_report_candidate candidate = CUSHIM_REPORT_CANDIDATE_INIT;
    const char *found;

#if defined(RIGHTS_STUBS)
    int version;

    cuDriverGetVersion(&version);
#else
    cushim_driver_load(NULL);
#endif
    if (count > 1) {
        char text[8192];

        (void)words;
        cushim_report_write_text(text, sizeof text);
        fputs(text, stdout);
        return 0;
    }
    if (cushim_report_create(&report) != CUDA_SUCCESS)
        return 1;
    found = cushim_report_library(report);
    if (!found[0])
        found = cushim_report_get_candidate(report, 0, &candidate) == CUDA_SUCCESS
                    ? candidate.origin_name
                    : "nothing";
    print_words(cushim_state_name(cushim_report_state(report)), found);
    cushim_report_destroy(report);
    return 0;
}

#endif
