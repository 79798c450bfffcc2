/* SPDX-License-Identifier: Apache-2.0 */
#include "src/tool/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/base/text.h"
#include "src/tool/output.h"

static void new_line(const struct json *json)
{
    printf("\n%*s", (int)json->depth * 2, "");
}

static void put_string(const char *value)
{
    struct cushim__text text;
    char *buffer;

    cushim__text_begin(&text, NULL, 0);
    cushim__text_json(&text, value);
    buffer = output_memory(text.length + 1);
    cushim__text_begin(&text, buffer, text.length + 1);
    cushim__text_json(&text, value);
    fputs(buffer, stdout);
    free(buffer);
}

/* Whatever stands in front of a value. */
static void begin_value(struct json *json, const char *key)
{
    if (json->filled)
        putchar(',');
    if (json->depth)
        new_line(json);
    if (key) {
        put_string(key);
        fputs(": ", stdout);
    }
    json->filled = true;
}

void json_open(struct json *json, const char *key, char bracket)
{
    begin_value(json, key);
    putchar(bracket);
    json->depth++;
    json->filled = false;
}

void json_close(struct json *json, char bracket)
{
    json->depth--;
    if (json->filled)
        new_line(json);
    putchar(bracket);
    json->filled = true;
    if (!json->depth)
        putchar('\n');
}

void json_string(struct json *json, const char *key, const char *value)
{
    begin_value(json, key);
    put_string(value);
}

void json_integer(struct json *json, const char *key, int64_t value)
{
    begin_value(json, key);
    printf("%" PRId64, value);
}

void json_size(struct json *json, const char *key, uint64_t value)
{
    begin_value(json, key);
    printf("%" PRIu64, value);
}

void json_bool(struct json *json, const char *key, bool value)
{
    begin_value(json, key);
    fputs(value ? "true" : "false", stdout);
}

void json_null(struct json *json, const char *key)
{
    begin_value(json, key);
    fputs("null", stdout);
}

void json_decimal(struct json *json, const char *key, double value, int places)
{
    if (!isfinite(value)) {
        json_null(json, key);
        return;
    }
    begin_value(json, key);
    printf("%.*f", places, value);
}

void json_report(struct json *json, const char *key, const struct cushim_report *report)
{
    const size_t length = cushim__report_json(report, NULL, 0);
    char *text = output_memory(length + 1);

    cushim__report_json(report, text, length + 1);
    begin_value(json, key);
    for (const char *next = text; *next; next++) {
        if (*next != '\n')
            putchar(*next);
        else if (next[1])
            new_line(json);
    }
    free(text);
}
