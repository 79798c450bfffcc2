/* SPDX-License-Identifier: Apache-2.0 */
#include "src/tool/base/output.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/text.h"
#include "src/tool/base/failure.h"
#include "src/tool/base/system.h"

/* Room for a reason and a path. */
enum { LINE_BYTES = 4096 };

void *output_memory(size_t size)
{
    void *memory = malloc(size);

    if (!memory) {
        fputs("cushim: out of memory\n", stderr);
        exit(STATUS_FAILED);
    }
    return memory;
}

static FILE *redirected; /* NULL for standard output */

FILE *output_stream(void)
{
    return redirected ? redirected : stdout;
}

void output_redirect(FILE *file)
{
    redirected = file;
}

void output_line(const char *label, const char *format, ...)
{
    char line[LINE_BYTES], plain[LINE_BYTES];
    struct cushim__text text;
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    /* Paths and names come from elsewhere, and must not look like lines of this output. */
    cushim__text_begin(&text, plain, sizeof plain);
    cushim__text_plain(&text, line);
    fprintf(output_stream(), "%-11s %s\n", label, plain);
}

bool output_is_coloured(FILE *stream)
{
    const char *refused = system_get("NO_COLOR"), *terminal = system_get("TERM");

    return system_is_terminal(stream) && !(refused && *refused) && terminal && *terminal &&
           strcmp(terminal, "dumb") != 0;
}

/* Print the value of the first line, the state, in colour. Returns the rest of the text. */
static const char *put_state(const char *text, const char *colour)
{
    const int label = (int)strcspn(text, " ") + (int)strspn(text + strcspn(text, " "), " ");
    const int value = (int)strcspn(text + label, "\n");

    printf("%.*s%s%.*s%s", label, text, colour, value, text + label, OUTPUT_PLAIN);
    return text + label + value;
}

void output_report(const struct cushim_report *report)
{
    const size_t length = cushim__report_text(report, NULL, 0);
    const char *colour = report->state == CUSHIM_STATE_READY ? OUTPUT_GREEN : OUTPUT_RED;
    char *text = output_memory(length + 1);

    cushim__report_text(report, text, length + 1);
    fputs(output_is_coloured(output_stream()) ? put_state(text, colour) : text, output_stream());
    free(text);
}

void output_bytes(const char *label, size_t bytes, const char *remark)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double amount = (double)bytes / 1024;
    size_t unit = 0;

    if (bytes < 1024) {
        output_line(label, "%zu byte%s%s", bytes, bytes == 1 ? "" : "s", remark);
        return;
    }
    while (amount >= 1024) {
        amount /= 1024;
        unit++;
    }
    output_line(label, "%zu bytes (%.4g %s)%s", bytes, amount, units[unit], remark);
}

bool output_finish(void)
{
    int error;

    errno = 0;
    /* If part of the buffer cannot be written, fclose() may not try again. */
    if (fflush(stdout) == 0 && !ferror(stdout) && fclose(stdout) == 0)
        return true;
    error = errno;
    fprintf(stderr, "cushim: standard output could not be written%s%s\n", error ? ": " : "",
            error ? strerror(error) : "");
    return false;
}

/* --- files --- */

struct new_file {
    void (*put)(FILE *file, const void *data);
    const void *data;
};

/* Write a new file. Returns 0, or an error number with a reason; then a part file is removed. */
static int write_file(const struct new_file *new_file, const char *path, bool is_part,
                      const char **why)
{
    FILE *file = system_new_file(path, why);
    int error = 0;

    if (!file)
        return errno;
    errno = 0;
    new_file->put(file, new_file->data);
    if (fflush(file) != 0 || ferror(file))
        error = errno ? errno : EIO;
    if (fclose(file) != 0 && !error)
        error = errno;
    if (error)
        *why = strerror(error);
    if (error && is_part)
        remove(path);
    return error;
}

static int replace_file(const struct new_file *new_file, const char *path, const char *part,
                        const char **why)
{
    int error = write_file(new_file, part, true, why);

    if (!error && !system_replace(part, path)) {
        error = errno;
        *why = strerror(error);
        remove(part);
    }
    return error;
}

void output_to_file(const char *path, const char *what, void (*put)(FILE *file, const void *data),
                    const void *data, struct failure *failure)
{
    static const char end[] = ".part";
    const struct new_file new_file = {put, data};
    const size_t size = strlen(path) + sizeof end;
    const char *why = "";
    char *part = output_memory(size);
    int error;

    snprintf(part, size, "%s%s", path, end);
    error = system_is_replaceable(path) ? replace_file(&new_file, path, part, &why) : EPERM;
    if (error == EEXIST)
        path = part;
    /* The file cannot be replaced, or the folder not written, but perhaps the file can. */
    else if (error == EACCES || error == EPERM || error == ENAMETOOLONG)
        error = write_file(&new_file, path, false, &why);
    if (error)
        failure_set(failure, STATUS_FAILED, "Name another file.",
                    "%s could not be written to %s: %s", what, path, why);
    free(part);
}

/* --- JSON --- */

static FILE *file_of(const struct json *json)
{
    return json->file ? json->file : stdout;
}

static void new_line(const struct json *json)
{
    fprintf(file_of(json), "\n%*s", (int)json->depth * 2, "");
}

static void put_string(const struct json *json, const char *value)
{
    struct cushim__text text;
    char *buffer;

    cushim__text_begin(&text, NULL, 0);
    cushim__text_json(&text, value);
    buffer = output_memory(text.length + 1);
    cushim__text_begin(&text, buffer, text.length + 1);
    cushim__text_json(&text, value);
    fputs(buffer, file_of(json));
    free(buffer);
}

/* Write what precedes a value. */
static void begin_value(struct json *json, const char *key)
{
    if (json->filled)
        fputc(',', file_of(json));
    if (json->depth)
        new_line(json);
    if (key) {
        put_string(json, key);
        fputs(": ", file_of(json));
    }
    json->filled = true;
}

void json_open(struct json *json, const char *key, char bracket)
{
    begin_value(json, key);
    fputc(bracket, file_of(json));
    json->depth++;
    json->filled = false;
}

void json_close(struct json *json, char bracket)
{
    json->depth--;
    if (json->filled)
        new_line(json);
    fputc(bracket, file_of(json));
    json->filled = true;
    if (!json->depth)
        fputc('\n', file_of(json));
}

void json_string(struct json *json, const char *key, const char *value)
{
    begin_value(json, key);
    if (value)
        put_string(json, value);
    else
        fputs("null", file_of(json));
}

void json_integer(struct json *json, const char *key, int64_t value)
{
    begin_value(json, key);
    fprintf(file_of(json), "%" PRId64, value);
}

void json_size(struct json *json, const char *key, uint64_t value)
{
    begin_value(json, key);
    fprintf(file_of(json), "%" PRIu64, value);
}

void json_bool(struct json *json, const char *key, bool value)
{
    begin_value(json, key);
    fputs(value ? "true" : "false", file_of(json));
}

void json_null(struct json *json, const char *key)
{
    json_string(json, key, NULL);
}

void json_decimal(struct json *json, const char *key, double value, int places)
{
    if (!isfinite(value)) {
        json_null(json, key);
        return;
    }
    begin_value(json, key);
    fprintf(file_of(json), "%.*f", places, value);
}

void json_report(struct json *json, const char *key, const struct cushim_report *report)
{
    const size_t length = cushim__report_json(report, NULL, 0);
    char *text = output_memory(length + 1);

    cushim__report_json(report, text, length + 1);
    begin_value(json, key);
    for (const char *next = text; *next; next++) {
        if (*next != '\n')
            fputc(*next, file_of(json));
        else if (next[1])
            new_line(json);
    }
    free(text);
}
