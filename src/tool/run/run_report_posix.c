/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In each process of the program, the library in place of libcuda.so.1 writes its findings to a
 * file in a folder that only this user can enter. When the program has ended, the command reads the
 * files and removes them.
 */
#define _GNU_SOURCE
#include "src/tool/run/run_report.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/text.h"
#include "src/tool/base/output.h"
#include "src/tool/base/system.h"
#include "src/tool/run/program.h"

enum { LINE_SIZE = FINDING_SIZE, NAME_SIZE = LINE_SIZE + 200 };

const char *finding_text(const struct finding *finding)
{
    return finding->line + strlen(finding->line) + 1;
}

struct finding *findings_add(struct findings *findings, const char *process, const char *kind,
                             const char *text)
{
    struct finding *finding = output_memory(sizeof *finding);

    *finding = (struct finding){.is_failure = true, .count = 1};
    snprintf(finding->process, sizeof finding->process, "%s", process ? process : "");
    snprintf(finding->line, sizeof finding->line, "%s%c%s", kind, '\0', text);
    *findings->last = finding;
    findings->last = &finding->next;
    return finding;
}

/* Find the first name of a driver's function in a text; empty if there is none. */
static void find_function(const char *text, char *function, size_t size)
{
    size_t length = 0;

    while ((text = strstr(text, "cu")) != NULL && !isupper((unsigned char)text[2]))
        text++;
    while (text && (isalnum((unsigned char)text[length]) || text[length] == '_'))
        length++;
    snprintf(function, size, "%.*s", (int)length, text ? text : "");
}

/* Find the first place in a text: what follows `call 5 of thread 1, at`. */
static void find_place(const char *text, char *place, size_t size)
{
    const char *at = strstr(text, " of thread ");

    at = at ? strstr(at, ", at ") : NULL;
    snprintf(place, size, "%.*s", at ? (int)strcspn(at + 5, ";)") : 0, at ? at + 5 : "");
}

/* Read a line with a finding, or with the name of the program whose findings follow. */
static void read_line(struct findings *findings, const char *process, char *program, char *line)
{
    const char *kind, *level, *count;
    struct finding *finding;

    line[strcspn(line, "\n")] = '\0';
    kind = strsep(&line, "\t");
    level = strsep(&line, "\t");
    count = strsep(&line, "\t");
    if (level && strcmp(kind, "program") == 0)
        snprintf(program, sizeof finding->program, "%.*s", (int)sizeof finding->program - 1, level);
    if (!line)
        return;
    finding = findings_add(findings, process, kind, line);
    snprintf(finding->level, sizeof finding->level, "%s", level);
    strcpy(finding->program, program);
    finding->count = strtoul(count, NULL, 10);
}

static void read_files(struct findings *findings, const char *folder)
{
    struct dirent **entries = NULL;
    const int count = scandir(folder, &entries, NULL, versionsort);
    char line[LINE_SIZE];

    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name, *process = strrchr(name, '.');
        char path[LINE_SIZE], program[sizeof findings->first->program] = "";
        FILE *file = NULL;

        snprintf(path, sizeof path, "%s/%s", folder, name);
        if (strncmp(name, "found.", 6) == 0)
            file = fopen(path, "r");
        findings->processes += file != NULL;
        while (file && fgets(line, sizeof line, file))
            read_line(findings, process + 1, program, line);
        if (file) {
            fclose(file);
            unlink(path);
        }
        free(entries[i]);
    }
    free(entries);
}

/* --- files for programs --- */

static const char *text_or_null(const char *text)
{
    return text[0] ? text : NULL;
}

static void print_json(FILE *file, const struct findings *findings, int status)
{
    struct json json = {.file = file};

    json_open(&json, NULL, '{');
    json_integer(&json, "version", 1);
    json_integer(&json, "status", status);
    json_integer(&json, "processes", findings->processes);
    json_open(&json, "findings", '[');
    for (const struct finding *finding = findings->first; finding; finding = finding->next) {
        char function[100], place[400];

        find_function(finding_text(finding), function, sizeof function);
        find_place(finding_text(finding), place, sizeof place);
        json_open(&json, NULL, '{');
        json_string(&json, "kind", finding->line);
        json_string(&json, "level", text_or_null(finding->level));
        json_size(&json, "count", finding->count);
        json_bool(&json, "is_failure", finding->is_failure);
        json_string(&json, "text", text_or_null(finding_text(finding)));
        json_string(&json, "function", text_or_null(function));
        json_string(&json, "place", text_or_null(place));
        json_string(&json, "program", text_or_null(finding->program));
        if (finding->process[0])
            json_integer(&json, "process", strtol(finding->process, NULL, 10));
        else
            json_null(&json, "process");
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_close(&json, '}');
}

/* Print text as an attribute or between tags; what XML cannot represent becomes `?`. */
static void print_xml(FILE *file, const char *bytes)
{
    char plain[LINE_SIZE];
    struct cushim__text text;

    cushim__text_begin(&text, plain, sizeof plain);
    cushim__text_plain(&text, bytes);
    for (const char *at = plain; *at; at++) {
        if (strchr("<>&\"'", *at))
            fprintf(file, "&#%d;", *at);
        else
            fputc(*at, file);
    }
}

static unsigned count(const struct findings *findings, bool has_advice)
{
    unsigned counted = 0;

    for (const struct finding *finding = findings->first; finding; finding = finding->next)
        counted += has_advice || finding->is_failure;
    return counted;
}

/* Such as `CUSHIM-event-destroyed: cuEventQuery, program`, which is the same in each run. */
static void name_case(const struct finding *finding, char *name, size_t size)
{
    char function[100];

    find_function(finding_text(finding), function, sizeof function);
    snprintf(name, size, "%s%s%s%s%s", finding->line, function[0] ? ": " : "", function,
             finding->program[0] ? ", " : "", finding->program);
}

/* Number the findings of one name, because readers of JUnit tell cases apart by their names. */
static unsigned number_of(const struct findings *findings, const struct finding *finding,
                          const char *name)
{
    char other[NAME_SIZE];
    unsigned number = 1;

    for (const struct finding *before = findings->first; before != finding; before = before->next) {
        name_case(before, other, sizeof other);
        number += strcmp(other, name) == 0;
    }
    return number;
}

/* A finding that is no failure becomes the output of a test case that passes. */
static void print_case(FILE *file, const struct findings *findings, const struct finding *finding,
                       const char *program)
{
    char name[NAME_SIZE];
    unsigned number;

    name_case(finding, name, sizeof name);
    number = number_of(findings, finding, name);
    fputs("    <testcase classname=\"", file);
    print_xml(file, program);
    fputs("\" name=\"", file);
    print_xml(file, name);
    if (number > 1)
        fprintf(file, " (%u)", number);
    fputs("\" time=\"0\">\n      ", file);
    if (finding->is_failure) {
        fprintf(file, "<failure type=\"%s\" message=\"", finding->line);
        print_xml(file, finding_text(finding));
        fputs("\">", file);
    } else {
        fputs("<system-out>", file);
    }
    print_xml(file, finding_text(finding));
    fprintf(file, "</%s>\n    </testcase>\n", finding->is_failure ? "failure" : "system-out");
}

static void print_junit(FILE *file, const struct findings *findings, const char *command,
                        const char *program)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", file);
    fprintf(file,
            "  <testsuite name=\"%s\" tests=\"%u\" failures=\"%u\" errors=\"0\" "
            "skipped=\"0\" time=\"0\">\n",
            command, findings->first ? count(findings, true) : 1, count(findings, false));
    for (const struct finding *finding = findings->first; finding; finding = finding->next)
        print_case(file, findings, finding, program);
    if (!findings->first) {
        fputs("    <testcase classname=\"", file);
        print_xml(file, program);
        fputs("\" name=\"nothing was found\" time=\"0\"/>\n", file);
    }
    fputs("  </testsuite>\n</testsuites>\n", file);
}

static bool is_xml(const char *path)
{
    const size_t length = strlen(path);

    return length >= 4 && strcmp(path + length - 4, ".xml") == 0;
}

static void write_report(const struct arguments *arguments, const char *command,
                         const struct findings *findings, int status, struct failure *failure)
{
    const char *why = "it could not be written";
    FILE *file = system_new_file(arguments->report, &why);
    bool is_written = file != NULL;

    if (file && is_xml(arguments->report))
        print_junit(file, findings, command, arguments->program[0]);
    else if (file)
        print_json(file, findings, status);
    if (file)
        is_written = !ferror(file);
    if (file && fclose(file) != 0)
        is_written = false;
    if (!is_written)
        failure_set(failure, STATUS_FAILED, "Choose another file with --report.", "%.160s: %s",
                    arguments->report, why);
}

int run_reported(const struct arguments *arguments, const struct run_report *report,
                 struct failure *failure)
{
    const char *root = system_get("TMPDIR");
    char *rooted = system_absolute_path(root && root[0] ? root : "/tmp");
    struct findings findings = {.last = &findings.first};
    char folder[2048], prefix[2100];
    int status;

    snprintf(folder, sizeof folder, "%s/cushim-XXXXXX", rooted ? rooted : "/tmp");
    free(rooted);
    if (!mkdtemp(folder)) {
        failure_set(failure, STATUS_FAILED, "Set TMPDIR to a folder that can be written.",
                    "%.160s cannot be made: %s", folder, strerror(errno));
        return (int)failure->status;
    }
    snprintf(prefix, sizeof prefix, "%s/found", folder);
    status = system_set(report->variable, prefix, failure)
                 ? spawn_and_wait(arguments->program, failure)
                 : (int)failure->status;
    read_files(&findings, folder);
    rmdir(folder);
    if (failure->status == STATUS_DONE && findings.processes == 0 && !arguments->quiet)
        fprintf(stderr, "cushim: %s\n", report->nothing);
    if (failure->status == STATUS_DONE && report->judge)
        report->judge(arguments, &findings);
    if (status == 0 && count(&findings, false) > 0 && arguments->error_status)
        status = (int)arguments->error_status;
    if (failure->status == STATUS_DONE && arguments->report)
        write_report(arguments, report->command, &findings, status, failure);
    while (findings.first) {
        struct finding *next = findings.first->next;

        free(findings.first);
        findings.first = next;
    }
    return status;
}
