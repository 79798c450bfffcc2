/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mock's library writes what it has found into a file for each process, in a folder that only
 * this user can enter. The files are read when the program has ended, and removed.
 */
#define _GNU_SOURCE
#include "src/tool/program.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/text.h"
#include "src/tool/output.h"
#include "src/tool/system.h"

enum { LINE_SIZE = 4096 };

struct finding {
    struct finding *next;
    char process[24];
    char line[LINE_SIZE]; /* the kind, NUL and the text */
};

struct findings {
    struct finding *first, **last;
    unsigned count, processes;
};

static const char *text_of(const struct finding *finding)
{
    return finding->line + strlen(finding->line) + 1;
}

/* The first name of a driver's function in a text; empty: there is none. */
static void find_function(const char *text, char *function, size_t size)
{
    size_t length = 0;

    while ((text = strstr(text, "cu")) != NULL && !isupper((unsigned char)text[2]))
        text++;
    while (text && (isalnum((unsigned char)text[length]) || text[length] == '_'))
        length++;
    snprintf(function, size, "%.*s", (int)length, text ? text : "");
}

/* The first place in a text: what stands behind `call 5 of thread 1, at`. */
static void find_place(const char *text, char *place, size_t size)
{
    const char *at = strstr(text, " of thread ");

    at = at ? strstr(at, ", at ") : NULL;
    snprintf(place, size, "%.*s", at ? (int)strcspn(at + 5, ";)") : 0, at ? at + 5 : "");
}

static void read_line(struct findings *findings, const char *process, const char *line)
{
    const size_t kind = strcspn(line, "\t");
    struct finding *finding;

    if (line[kind] != '\t')
        return;
    finding = output_memory(sizeof *finding);
    *finding = (struct finding){0};
    snprintf(finding->process, sizeof finding->process, "%s", process);
    snprintf(finding->line, sizeof finding->line, "%.*s", (int)strcspn(line, "\n"), line);
    finding->line[kind] = '\0';
    *findings->last = finding;
    findings->last = &finding->next;
    findings->count++;
}

static void read_files(struct findings *findings, const char *folder)
{
    struct dirent **entries = NULL;
    const int count = scandir(folder, &entries, NULL, versionsort);
    char line[LINE_SIZE];

    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name, *process = strrchr(name, '.');
        char path[LINE_SIZE];
        FILE *file = NULL;

        snprintf(path, sizeof path, "%s/%s", folder, name);
        if (strncmp(name, "found.", 6) == 0)
            file = fopen(path, "r");
        findings->processes += file != NULL;
        while (file && fgets(line, sizeof line, file))
            read_line(findings, process + 1, line);
        if (file) {
            fclose(file);
            unlink(path);
        }
        free(entries[i]);
    }
    free(entries);
}

/* --- files for programs --- */

static void print_json_member(FILE *file, const char *key, const char *value, const char *end)
{
    char json[2 * LINE_SIZE];
    struct cushim__text text;

    cushim__text_begin(&text, json, sizeof json);
    cushim__text_json(&text, value);
    fprintf(file, "      \"%s\": %s%s\n", key, value[0] ? json : "null", end);
}

static void print_json(FILE *file, const struct findings *findings, int status)
{
    fprintf(file, "{\n  \"version\": 1,\n  \"status\": %d,\n  \"processes\": %u,\n", status,
            findings->processes);
    fputs("  \"findings\": [", file);
    for (const struct finding *finding = findings->first; finding; finding = finding->next) {
        char function[100], place[400];

        find_function(text_of(finding), function, sizeof function);
        find_place(text_of(finding), place, sizeof place);
        fprintf(file, "%s\n    {\n", finding == findings->first ? "" : ",");
        print_json_member(file, "kind", finding->line, ",");
        print_json_member(file, "text", text_of(finding), ",");
        print_json_member(file, "function", function, ",");
        print_json_member(file, "place", place, ",");
        fprintf(file, "      \"process\": %s\n    }", finding->process);
    }
    fputs(findings->first ? "\n  ]\n}\n" : "]\n}\n", file);
}

/* As an attribute or between tags; what XML cannot have becomes `?`. */
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

static void print_junit(FILE *file, const struct findings *findings, const char *program)
{
    const unsigned tests = findings->count > 0 ? findings->count : 1;

    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", file);
    fprintf(file,
            "  <testsuite name=\"cushim run\" tests=\"%u\" failures=\"%u\" errors=\"0\" "
            "skipped=\"0\" time=\"0\">\n",
            tests, findings->count);
    for (const struct finding *finding = findings->first; finding; finding = finding->next) {
        char function[100];

        find_function(text_of(finding), function, sizeof function);
        fputs("    <testcase classname=\"", file);
        print_xml(file, program);
        fprintf(file, "\" name=\"%s%s", finding->line, function[0] ? ": " : "");
        print_xml(file, function);
        fprintf(file, ", process %s\" time=\"0\">\n      <failure type=\"%s\" message=\"",
                finding->process, finding->line);
        print_xml(file, text_of(finding));
        fputs("\">", file);
        print_xml(file, text_of(finding));
        fputs("</failure>\n    </testcase>\n", file);
    }
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

static void write_report(const struct arguments *arguments, const struct findings *findings,
                         int status, struct failure *failure)
{
    const char *why = "it could not be written";
    FILE *file = system_new_file(arguments->report, &why);
    bool is_written = file != NULL;

    if (file && is_xml(arguments->report))
        print_junit(file, findings, arguments->program[0]);
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

int run_reported(const struct arguments *arguments, struct failure *failure)
{
    const char *root = system_get("TMPDIR");
    struct findings findings = {.last = &findings.first};
    char folder[2048], prefix[2100];
    int status;

    snprintf(folder, sizeof folder, "%s/cushim-XXXXXX", root && root[0] ? root : "/tmp");
    if (!mkdtemp(folder)) {
        failure_set(failure, STATUS_FAILED, "Set TMPDIR to a folder that can be written.",
                    "%.160s cannot be made: %s", folder, strerror(errno));
        return (int)failure->status;
    }
    snprintf(prefix, sizeof prefix, "%s/found", folder);
    status = system_set("CUSHIM_MOCK_REPORT", prefix, failure)
                 ? spawn_and_wait(arguments->program, failure)
                 : (int)failure->status;
    read_files(&findings, folder);
    rmdir(folder);
    if (failure->status == STATUS_DONE && findings.processes == 0 && !arguments->quiet)
        fputs("cushim: no process has reported what the mock driver found: none has opened it, or "
              "those that did were killed\n",
              stderr);
    if (failure->status == STATUS_DONE && arguments->report)
        write_report(arguments, &findings, status, failure);
    if (status == 0 && findings.count > 0 && arguments->error_status)
        status = (int)arguments->error_status;
    while (findings.first) {
        struct finding *next = findings.first->next;

        free(findings.first);
        findings.first = next;
    }
    return status;
}
