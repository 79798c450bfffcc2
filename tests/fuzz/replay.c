/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A target on its corpus, with any compiler: every file of the folders, whole, cut off at some
 * places, and with one byte changed at some places.
 *
 *     replay NAME FOLDER...
 *
 * `--whole` in the place of the name: the files as they are, and nothing else.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

enum { LARGEST = 1 << 20, PLACES = 8, PATH_BYTES = 4096 };

static unsigned long files, cuts, changes;
static bool is_whole;

/* The input is in memory of its size alone, so that a step beyond it is noticed. */
static void feed(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = fuzz_memory(size);

    if (size)
        memcpy(copy, bytes, size);
    if (LLVMFuzzerTestOneInput(copy, size) > 0)
        fuzz_fail(__FILE__, __LINE__, "a target answers 0 or -1", fuzz_place);
    free(copy);
}

/* The places are the same in every run, and spread over the whole input. */
static void feed_variants(uint8_t *bytes, size_t size)
{
    static const uint8_t flips[] = {0xff, 0x01, 0x80, 0x20};

    for (size_t i = 0; i < PLACES && i < size; i++) {
        const size_t at = size * i / PLACES;
        const uint8_t before = bytes[at];

        feed(bytes, at);
        cuts++;
        bytes[at] = (uint8_t)(before ^ flips[i % sizeof flips]);
        feed(bytes, size);
        bytes[at] = before;
        changes++;
    }
}

static bool feed_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes;
    size_t size;

    if (!file) {
        perror(path);
        return false;
    }
    bytes = fuzz_memory(LARGEST);
    size = fread(bytes, 1, LARGEST, file);
    fclose(file);
    snprintf(fuzz_place, sizeof fuzz_place, "%.200s", path);
    feed(bytes, size);
    files++;
    if (!is_whole)
        feed_variants(bytes, size);
    free(bytes);
    return true;
}

static bool feed_folder(const char *name)
{
    DIR *folder = opendir(name);
    const struct dirent *entry;
    char path[PATH_BYTES];
    bool is_read = true;

    if (!folder) {
        perror(name);
        return false;
    }
    while ((entry = readdir(folder))) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", name, entry->d_name);
        is_read = feed_file(path) && is_read;
    }
    closedir(folder);
    return is_read;
}

int main(int count, char **words)
{
    bool is_read = true;

    is_whole = count > 1 && strcmp(words[1], "--whole") == 0;
    for (int i = 2; i < count; i++)
        is_read = feed_folder(words[i]) && is_read;
    if (files == 0)
        fprintf(stderr, "there is no corpus\n");
    else
        printf("%s: %lu files, %lu cut off, %lu with a byte changed, 0 crashed\n", words[1], files,
               cuts, changes);
    return is_read && files > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
