/* SPDX-License-Identifier: Apache-2.0 */
#include "src/layer/sweep/text.h"

#include <stdio.h>
#include <string.h>

#include <cushim/error.h>

enum { LINE = CUSHIM__SWEEP_FINDINGS + 600 };

/* Room for this is kept behind the lines. */
#define MORE "and %llu more\n"
enum { MORE_SIZE = 32 };

void cushim__sweep_text_begin(struct cushim__sweep_text *text, char *buffer, size_t size)
{
    *text = (struct cushim__sweep_text){.buffer = buffer, .size = buffer ? size : 0};
    if (text->size > 0)
        buffer[0] = '\0';
}

void cushim__sweep_text_add(struct cushim__sweep_text *text, const char *line)
{
    const size_t room = text->size - text->used;
    const size_t kept = text->size > MORE_SIZE ? MORE_SIZE : 0;

    if (text->used > 0 && strlen(line) + 2 + kept > room) {
        text->left_out++;
        snprintf(text->buffer + text->used, room, MORE, (unsigned long long)text->left_out);
    } else if (room > 0 && text->left_out == 0) {
        snprintf(text->buffer + text->used, room > kept ? room - kept : room, "%s\n", line);
        text->used += strlen(text->buffer + text->used);
    }
}

/* Settings on one line: `schedule = random, seed = 7`. */
static void write_settings(char *line, size_t size, const char *settings)
{
    size_t used = 0;

    while (settings && *settings && used + 3 < size) {
        const size_t length = strcspn(settings, "\n");

        if (length > 0)
            used += (size_t)snprintf(line + used, size - used, "%s%.*s", used > 0 ? ", " : "",
                                     (int)length, settings);
        settings += length;
        settings += strspn(settings, "\n");
    }
}

void cushim__sweep_text_add_run(struct cushim__sweep_text *text,
                                const struct cushim__sweep_run *run)
{
    const bool is_once = run->order.kind == CUSHIM_SWEEP_ONCE;
    char line[LINE], settings[200] = "";

    write_settings(settings, sizeof settings, run->settings);
    if (run->order.nth == 0) {
        snprintf(line, sizeof line, "with no call failing: %s%s%s", run->findings,
                 settings[0] ? "; mock: " : "", settings);
    } else {
        snprintf(line, sizeof line,
                 "call %llu of the body (%s) answered %s, %s: %s%s%s; this run alone: "
                 "first = last = %llu, kinds = %s",
                 (unsigned long long)run->order.nth,
                 run->seen.function ? run->seen.function : "none",
                 cushim_error_name(run->seen.code), is_once ? "once" : "as did all from then on",
                 run->findings, settings[0] ? "; mock: " : "", settings,
                 (unsigned long long)run->order.nth,
                 is_once ? "CUSHIM_SWEEP_ONCE" : "CUSHIM_SWEEP_FROM_THEN_ON");
    }
    cushim__sweep_text_add(text, line);
}
