/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report for others: what the maintainer of a program would ask its user for. Names of users
 * and UUIDs are replaced in every value while it is written.
 */
#include "loader/share.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include <cushim/version.h>

#include "loader/report.h"
#include "src/base/system.h"
#include "src/base/text.h"

const char cushim__shared_variables[] = "CUDA_VISIBLE_DEVICES\0"
                                        "CUDA_DEVICE_ORDER\0"
                                        "CUDA_DEVICE_MAX_CONNECTIONS\0"
                                        "CUDA_DISABLE_PTX_JIT\0"
                                        "CUDA_FORCE_PTX_JIT\0"
                                        "CUDA_LAUNCH_BLOCKING\0"
                                        "CUDA_MODULE_LOADING\0"
                                        "CUDA_CACHE_PATH\0"
                                        "CUDA_CACHE_DISABLE\0"
                                        "CUDA_MPS_PIPE_DIRECTORY\0"
                                        "CUDA_HOME\0"
                                        "CUDA_PATH\0"
                                        "NVIDIA_VISIBLE_DEVICES\0"
                                        "NVIDIA_DRIVER_CAPABILITIES\0"
                                        "NVIDIA_REQUIRE_CUDA\0"
                                        "NVIDIA_DISABLE_REQUIRE\0"
                                        "LD_LIBRARY_PATH\0"
                                        "LD_PRELOAD\0"
                                        "CUSHIM_LIBRARY\0"
                                        "CUSHIM_DRIVER\0"
                                        "CUSHIM_MOCK_CONFIG\0"
                                        "container\0"
                                        "SNAP\0";

/* --- what is hidden --- */

static bool is_separator(char c)
{
    return c == '\0' || strchr("/\\:;\"'= \n", c);
}

size_t cushim__uuid_length(const char *at)
{
    size_t length = 4;

    if (strncmp(at, "GPU-", 4) != 0 && strncmp(at, "MIG-", 4) != 0)
        return 0;
    while (isxdigit((unsigned char)at[length]) || at[length] == '-')
        length++;
    return length >= 4 + 6 ? length : 0;
}

/* Whether the text before a place ends with the folder in which the homes of users are. */
static bool is_after_homes(const char *text, const char *at)
{
    static const char *const homes[] = {"/home/", "/Users/", "\\Users\\", "\\\\Users\\\\"};

    for (size_t i = 0; i < sizeof homes / sizeof homes[0]; i++) {
        const size_t length = strlen(homes[i]);
        if ((size_t)(at - text) >= length && strncmp(at - length, homes[i], length) == 0)
            return true;
    }
    return false;
}

/* Whether a place is in a path of the system's, in which a user's name is a word like any other. */
static bool is_in_system_path(const char *text, const char *at)
{
    const char *path = at;

    while (path > text && !strchr(":;\"'= \n", path[-1]))
        path--;
    return strncmp(path, "/usr/", 5) == 0 || strncmp(path, "/lib", 4) == 0;
}

size_t cushim__user_length(const char *text, const char *at)
{
    static const char *const names[] = {"USER", "LOGNAME", "USERNAME"};
    char room[256];

    if (at != text && !is_separator(at[-1]))
        return 0;
    if (is_after_homes(text, at))
        return strcspn(at, "/\\:;\"' \n");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *user = cushim__system_variable(names[i], room, sizeof room);
        const size_t length = user ? strlen(user) : 0;
        if (length > 0 && strcmp(user, "root") != 0 && strncmp(at, user, length) == 0 &&
            is_separator(at[length]) && !is_in_system_path(text, at))
            return length;
    }
    return 0;
}

static size_t hide(const char *bytes, const char *at, const char **instead)
{
    const size_t uuid = cushim__uuid_length(at);

    *instead = uuid == 0 ? "USER" : at[0] == 'G' ? "GPU-UUID" : "MIG-UUID";
    return uuid ? uuid : cushim__user_length(bytes, at);
}

/* --- what is written --- */

static void begin(struct cushim__text *text, char *buffer, size_t size)
{
    cushim__text_begin(text, buffer, size);
    text->hide = hide;
}

/* Without a separator, a line of text; else a member of an object, after the separator. */
static void add_pair(struct cushim__text *text, const char *separator, const char *name,
                     const char *value)
{
    if (separator) {
        cushim__text_format(text, "%s\n    \"%s\": ", separator, name);
        cushim__text_json(text, value);
        return;
    }
    cushim__text_format(text, "%-11s ", name);
    cushim__text_plain(text, value);
    cushim__text_add(text, "\n");
}

static void add_system(struct cushim__text *text, bool is_json)
{
    struct cushim__fact facts[CUSHIM__FACTS];
    const int count = cushim__facts(facts);

    add_pair(text, is_json ? "" : NULL, "cushim", CUSHIM_VERSION_TEXT);
    for (int i = 0; i < count; i++)
        add_pair(text, is_json ? "," : NULL, facts[i].name, facts[i].value);
}

static void add_environment(struct cushim__text *text, bool is_json)
{
    char room[4096];
    bool is_first = true;

    for (const char *name = cushim__shared_variables; *name; name += strlen(name) + 1) {
        const char *value = cushim__system_variable(name, room, sizeof room);
        if (!value)
            continue;
        if (is_json) {
            add_pair(text, is_first ? "" : ",", name, value);
        } else {
            cushim__text_format(text, "%s =%s", name, *value ? " " : "");
            cushim__text_plain(text, value);
            cushim__text_add(text, "\n");
        }
        is_first = false;
    }
}

size_t cushim_report_share_text(char *buffer, size_t size)
{
    struct cushim_report report;
    struct cushim__text text;

    cushim__report_get(&report);
    begin(&text, buffer, size);
    add_system(&text, false);
    cushim__report_write_text(&report, &text);
    cushim__text_add(&text, "\n");
    add_environment(&text, false);
    return text.length;
}

size_t cushim_report_share_json(char *buffer, size_t size)
{
    struct cushim_report report;
    struct cushim__text text;

    cushim__report_get(&report);
    begin(&text, buffer, size);
    cushim__text_add(&text, "{\n  \"system\": {");
    add_system(&text, true);
    cushim__text_add(&text, "\n  },\n  \"environment\": {");
    add_environment(&text, true);
    cushim__text_add(&text, "\n  },\n  \"report\": ");
    cushim__report_write_json(&report, &text);
    cushim__text_add(&text, "}\n");
    return text.length;
}
