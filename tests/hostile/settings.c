/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/hostile/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOT_UNDERSTOOD = 2 };

static bool read_option(struct settings *settings, const char *name, const char *value)
{
    const struct {
        const char *name;
        uint64_t *number;
        const char **text;
    } options[] = {
        {"--count", &settings->count, NULL}, {"--first", &settings->first, NULL},
        {"--step", &settings->step, NULL},   {"--seed", &settings->seed, NULL},
        {"--show", NULL, &settings->show},   {"--keep", NULL, &settings->keep},
        {"--way", NULL, &settings->way},
    };

    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        char *end;
        if (strcmp(name, options[i].name) != 0)
            continue;
        if (options[i].text) {
            *options[i].text = value;
            return true;
        }
        *options[i].number = strtoull(value, &end, 10);
        return *value && !*end;
    }
    return false;
}

bool settings_read(struct settings *settings, int argc, char **argv)
{
    *settings = (struct settings){.step = 1, .seed = 1};
    if (argc < 2 || argc % 2 != 0 || argv[1][0] == '-')
        return false;
    settings->victim = argv[1];
    for (int i = 2; i < argc; i += 2) {
        if (!read_option(settings, argv[i], argv[i + 1]))
            return false;
    }
    return settings->step > 0;
}

int settings_explain(const char *usage, int argc, char **argv)
{
    const bool is_asked = argc == 2 && strcmp(argv[1], "--help") == 0;

    fputs(usage, is_asked ? stdout : stderr);
    return is_asked ? EXIT_SUCCESS : NOT_UNDERSTOOD;
}

void settings_write(const char *path, const void *bytes, uint64_t size)
{
    FILE *file = fopen(path, "wb");

    if (!file || (size > 0 && fwrite(bytes, (size_t)size, 1, file) != 1) || fclose(file) != 0) {
        perror(path);
        exit(NOT_UNDERSTOOD);
    }
}
