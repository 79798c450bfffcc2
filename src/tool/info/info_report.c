/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `cushim info --report`: what the maintainer of a program would ask its user for, in a file that
 * can be shown to others. It contains no names of users and, unless asked for, no UUIDs: the text
 * is written to a temporary file first, in which all of them are replaced.
 */
#include "src/tool/info/info.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cushim/version.h>

#include "loader/share.h"
#include "src/tool/base/system.h"

struct report_file {
    char *text; /* as it was printed */
    bool has_uuids;
};

/* --- what is in it --- */

static void add_pair(struct json *json, const char *key, const char *value)
{
    if (json)
        json_string(json, key, value);
    else
        output_line(key, "%s", value);
}

static void add_environment(struct json *json)
{
    char label[64];

    for (const char *name = cushim__shared_variables; *name; name += strlen(name) + 1) {
        const char *value = system_get(name);

        snprintf(label, sizeof label, json ? "%s" : "%s =", name);
        if (value)
            add_pair(json, label, value);
    }
}

static void add_system(const struct info *info, struct json *json)
{
    struct cushim__fact facts[CUSHIM__FACTS];
    const int count = cushim__facts(facts);
    struct evidence interposed;

    add_pair(json, "cushim", CUSHIM_VERSION_TEXT);
    for (int i = 0; i < count; i++)
        add_pair(json, facts[i].name, facts[i].value);
    if (detect_interposed(info->system, &interposed))
        add_pair(json, "interposed", interposed.text);
}

static void put_text(const struct info *info)
{
    add_system(info, NULL);
    info_print(info);
    putc('\n', output_stream());
    add_environment(NULL);
}

static void put_json(const struct info *info, FILE *file)
{
    struct json json = {.file = file};

    json_open(&json, NULL, '{');
    json_open(&json, "system", '{');
    add_system(info, &json);
    json_close(&json, '}');
    json_open(&json, "environment", '{');
    add_environment(&json);
    json_close(&json, '}');
    info_json(info, &json);
    json_close(&json, '}');
}

/* --- what is left out of it --- */

static void put_redacted(const char *text, bool has_uuids, FILE *file)
{
    size_t length;

    for (const char *at = text; *at; at += length) {
        if (!has_uuids && (length = cushim__uuid_length(at)) > 0)
            fprintf(file, "%.4sUUID", at);
        else if ((length = cushim__user_length(text, at)) > 0)
            fputs("USER", file);
        else
            putc(*at, file), length = 1;
    }
}

/* All of a file that was written; free it. */
static char *read_back(FILE *file)
{
    long size;
    char *text;

    fflush(file);
    size = ftell(file);
    rewind(file);
    text = output_memory((size_t)(size > 0 ? size : 0) + 1);
    text[fread(text, 1, (size_t)(size > 0 ? size : 0), file)] = '\0';
    return text;
}

static void put_report(FILE *file, const void *data)
{
    const struct report_file *report = data;

    put_redacted(report->text, report->has_uuids, file);
}

void info_write_report(const struct info *info, const char *path, bool has_uuids,
                       struct failure *failure)
{
    const size_t length = strlen(path);
    const bool is_json = length > 5 && strcmp(path + length - 5, ".json") == 0;
    struct report_file report = {.has_uuids = has_uuids};
    FILE *whole = tmpfile();

    if (!whole) {
        failure_set(failure, STATUS_FAILED, "Let the folder for temporary files be writable.",
                    "The report could not be written: there is no temporary file");
        return;
    }
    if (is_json) {
        put_json(info, whole);
    } else {
        output_redirect(whole);
        put_text(info);
        output_redirect(NULL);
    }
    report.text = read_back(whole);
    fclose(whole);
    output_to_file(path, "The report", put_report, &report, failure);
    free(report.text);
}
