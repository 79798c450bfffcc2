/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Run the diagnostics on an imitated machine, which a test has laid out in a folder. They use the
 * environment of the process, and the command in CUSHIM_COMMAND to try libraries.
 *
 *     diagnose ROOT STATE CODE ORIGIN OUTCOME LIBRARY
 *
 * STATE, ORIGIN and OUTCOME are names as in the report, which has one candidate. CODE is the
 * driver's result, and LIBRARY the path that was loaded; INIT_OF in the environment is the path of
 * the file that has cuInit. With DENY in the environment, opening a device for writing fails with
 * this error number, such as EPERM under a control group that denies it.
 */
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __linux__
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#include "loader/loader.h"
#include "src/base/text.h"
#include "src/tool/info/diagnostics.h"

enum { MOST_NAMES = 32 };

/* The number for a name of the report. */
static int number_of(const char *name, const char *(*naming)(int number))
{
    for (int i = 0; i < MOST_NAMES; i++) {
        if (strcmp(naming(i), name) == 0)
            return i;
    }
    fprintf(stderr, "there is no %s\n", name);
    exit(EXIT_FAILURE);
}

static const char *state_name(int number)
{
    return cushim_state_name((enum cushim_state)number);
}

static const char *origin_name(int number)
{
    return cushim__origin_name((enum cushim_origin)number);
}

static const char *outcome_name(int number)
{
    return cushim__outcome_name((enum cushim_outcome)number);
}

/* Make openat() with O_RDWR fail. */
static void deny_devices(void)
{
#ifdef __linux__
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_RDWR, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)atoi(getenv("DENY"))),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof code / sizeof code[0], code};

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        perror("seccomp");
        exit(77);
    }
#endif
}

int main(int count, char **words)
{
    static struct cushim_report report = {.candidate_count = 1};
    const struct system_info info = {.report = &report,
                                     .root = count > 1 ? words[1] : "",
                                     .folders = getenv("LOOK_IN"),
                                     .init = getenv("INIT_OF"),
                                     .command = getenv("CUSHIM_COMMAND"),
                                     .timeout_ns = UINT64_C(60000000000)};
    static struct diagnoses diagnoses;
    char machine[CUSHIM_REPORT_MESSAGE_BYTES];
    struct cushim__text text;
    const char *advice;
    struct json json = {0};

    if (count != 7) {
        fputs("usage: diagnose ROOT STATE CODE ORIGIN OUTCOME LIBRARY\n", stderr);
        return EXIT_FAILURE;
    }
    report.state = (enum cushim_state)number_of(words[2], state_name);
    report.code = (CUresult)atoi(words[3]);
    report.candidates[0].origin = (enum cushim_origin)number_of(words[4], origin_name);
    report.candidates[0].outcome = (enum cushim_outcome)number_of(words[5], outcome_name);
    snprintf(report.candidates[0].path, sizeof report.candidates[0].path, "libcuda.so.1");
    snprintf(report.candidates[0].message, sizeof report.candidates[0].message, "what was found");
    snprintf(report.library, sizeof report.library, "%s", words[6]);

    if (getenv("DENY"))
        deny_devices();
    json_open(&json, NULL, '{');
    diagnostics_find(&info, &diagnoses);
    cushim__text_begin(&text, report.advice, sizeof report.advice);
    cushim__advise(&report, &text);
    advice = diagnostics_advice(&diagnoses);
    json_string(&json, "advice", advice ? advice : report.advice);
    diagnostics_machine(&info, machine, sizeof machine);
    json_string(&json, "machine", machine);
    diagnostics_json(&diagnoses, &json);
    json_close(&json, '}');
    return EXIT_SUCCESS;
}
