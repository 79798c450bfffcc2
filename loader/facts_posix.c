/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about a system that has its versions and limits in files. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "loader/share.h"

/* The value is the rest of the line after a key; without a key, the first line. */
static const struct {
    const char *name, *path, *key;
} lines[CUSHIM__FACTS] = {
    {"system", "/etc/os-release", "PRETTY_NAME="},
    {"kernel", "/proc/sys/kernel/osrelease", NULL},
    {"module", "/proc/driver/nvidia/version", "NVRM version:"},
    {"hmm off", "/sys/module/nvidia_uvm/parameters/uvm_disable_hmm", NULL},
    {"tegra", "/etc/nv_tegra_release", NULL},
    {"max space", "/proc/self/limits", "Max address space"},
    {"max files", "/proc/self/limits", "Max open files"},
    {"max locked", "/proc/self/limits", "Max locked memory"},
};

/* Read the beginning of a file. It may be a pipe, which must not block. */
static void read_text(const char *path, char *text, size_t size)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    size_t length = 0;
    ssize_t piece;

    while (file >= 0 && length < size - 1 &&
           (piece = read(file, text + length, size - 1 - length)) > 0)
        length += (size_t)piece;
    if (file >= 0)
        close(file);
    text[length] = '\0';
}

/* Copy a line up to a quotation mark; of blanks in a row, one is left, and none at the end. */
static void copy_line(char *value, size_t size, const char *line)
{
    size_t count = 0;

    line += strspn(line, " \t\"");
    for (; *line && *line != '"' && *line != '\n' && count + 1 < size; line++) {
        if (*line != ' ' || line[1] != ' ')
            value[count++] = *line;
    }
    value[count - (count > 0 && value[count - 1] == ' ')] = '\0';
}

int cushim__facts(struct cushim__fact facts[CUSHIM__FACTS])
{
    int count = 0;

    for (int i = 0; i < CUSHIM__FACTS; i++) {
        struct cushim__fact *fact = &facts[count];
        char text[4096];
        const char *found;

        read_text(lines[i].path, text, sizeof text);
        found = lines[i].key ? strstr(text, lines[i].key) : text;
        if (!found)
            continue;
        fact->name = lines[i].name;
        copy_line(fact->value, sizeof fact->value,
                  found + (lines[i].key ? strlen(lines[i].key) : 0));
        count += fact->value[0] != '\0';
    }
    return count;
}
